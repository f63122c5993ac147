package io.cantle.core.codec;

import io.cantle.Cache;
import io.cantle.CacheCollection;
import io.cantle.CachePublisher;
import io.cantle.CacheSet;
import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.Grid;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The messages for a class that is not allowed. Each says why, and what the user can do about it.
 *
 * <p><b>Threading:</b> pure functions.
 */
final class ClassRefusal {
  private static final String OF_THE_GRID =
      "it belongs to one node, and a grid, a cache, a view or a stream can be neither captured nor"
          + " stored: use forEachWithCache of a stream, which hands the cache to the function, or call"
          + " the grid where the function is not sent";

  private static final List<Class<?>> TYPES_OF_THE_GRID =
      List.of(
          Grid.class,
          Cache.class,
          CacheCollection.class,
          CacheSet.class,
          CacheStream.class,
          IntCacheStream.class,
          LongCacheStream.class,
          DoubleCacheStream.class,
          CachePublisher.class);

  /** Types of the JDK that stand for something of this process, by how their names end. */
  private static final Pattern PROCESS_RESOURCE =
      Pattern.compile(
          ".*(Thread|Process|ProcessImpl|InputStream|OutputStream|PrintStream|Reader|Writer|Scanner"
              + "|Socket|Channel|ChannelImpl|Executor|Pool|Lock|Timer|ClassLoader|\\$AppClassLoader)");

  private ClassRefusal() {}

  /** The message for a class that is not allowed. */
  static String message(ClassAllowList allowList, String what, String className) {
    if (ClassAllowList.isProxyName(elementName(className))) {
      return "dynamic proxy " + className + " is not allowed: no setting allows one";
    }
    if (allowList.application().isMissing(elementName(className))) {
      return missing(what, className);
    }
    return what + " class " + className + " is not allowed: " + remedy(allowList, className);
  }

  /** The message for a class that this node does not have. */
  static String missing(String what, String className) {
    return ("%s class %s cannot be loaded on this node; put it on the class path or module path of"
            + " every node")
        .formatted(what, className);
  }

  /** Whether objects of this class are a part of one node, whatever is allowed. */
  static boolean isOfTheGrid(Class<?> type) {
    return TYPES_OF_THE_GRID.stream().anyMatch(part -> part.isAssignableFrom(type));
  }

  /** The message for an object that is a part of one node. */
  static String ofTheGrid(Class<?> type) {
    return "object class " + type.getName() + " is not allowed: " + OF_THE_GRID;
  }

  /** What to do about an object whose class is not allowed. */
  static String remedy(ClassAllowList allowList, Class<?> type) {
    return isOfTheGrid(type) ? OF_THE_GRID : remedy(allowList, type.getName());
  }

  /** What to do about a class that is not allowed. */
  static String remedy(ClassAllowList allowList, String name) {
    String className = elementName(name);
    if (PlatformTypes.isPlatform(className)) {
      return "it is not a value type of the JDK: " + platformRemedy(className);
    }
    String origin = allowList.application().describeOrigin(className);
    return "%sadd its package \"%s\" to %s on every node"
        .formatted(
            origin == null ? "" : "it comes from " + origin + ", not from the application; ",
            ClassAllowList.packageName(className),
            ClassAllowList.SETTING);
  }

  private static String platformRemedy(String className) {
    String codec = "give its class a codec (GridConfig.codec)";
    if (className.startsWith("sun.nio.fs.")) {
      return "store the path as a String (Path.toString, Path.of)";
    }
    return switch (className) {
      case "java.io.File" -> "store the path as a String (File.getPath), or " + codec;
      case "java.net.URL" -> "store it as java.net.URI (URL.toURI), or " + codec;
      default ->
          PROCESS_RESOURCE.matcher(className).matches()
              ? "it stands for something of this process, which no other node has: store plain data,"
                  + " such as what it has read"
              : "store plain data instead, such as a String or numbers, or " + codec;
    };
  }

  /** The class of the elements, if it is the name of an array class. */
  private static String elementName(String name) {
    return name.startsWith("[") ? name.replaceFirst("^\\[+L?", "").replace(";", "") : name;
  }
}
