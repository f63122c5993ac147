package io.cantle.core.codec;

import io.cantle.core.base.GridPackages;
import io.cantle.core.base.PrintableText;
import java.net.URL;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The classes of the application: those that belong together with the class that calls the grid.
 * These are the classes of its module, or on the class path those of its jar. If it is in a folder,
 * they are the classes of all folders, because a build keeps its classes, its tests and the parts
 * of a project in folders of their own. In a jar or module that has Cantle in it too, libraries are
 * mixed with the application, so only the package of the class and those below it count.
 *
 * <p>A class is found by its name: by its package in a module, else by where the class loader would
 * read its file. It is neither loaded nor initialised. Names come from bytes that anybody may have
 * sent. So a name must be one that a class file can have. What is remembered is bounded: by {@value
 * #MAX_BELONGING} names that belong to the application, and by {@value #MAX_REFUSED} others. The
 * classes that exist are no bound where a file system takes one file by many names.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ApplicationClasses {
  /** No class belongs to the application. */
  public static final ApplicationClasses NONE = new ApplicationClasses(null, Set.of(), null, false);

  static final int MAX_REFUSED = 1_000;
  static final int MAX_BELONGING = 10_000;
  private static final int MAX_NAME_CHARACTERS = 1_024;

  /** Where a jar has the classes for one release of Java. */
  private static final Pattern RELEASE_FOLDER = Pattern.compile("META-INF/versions/\\d+/$");

  private final @Nullable ClassLoader loader;
  private final Set<String> modulePackages;
  private final @Nullable String root;
  private final boolean includesFolders;

  /** Names that were asked for before, and whose classes belong to the application. */
  private final Set<String> belonging = ConcurrentHashMap.newKeySet();

  /** Names that were asked for before, and whose classes do not. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  private ApplicationClasses(
      @Nullable ClassLoader loader,
      Set<String> modulePackages,
      @Nullable String root,
      boolean includesFolders) {
    this.loader = loader;
    this.modulePackages = modulePackages;
    this.root = root;
    this.includesFolders = includesFolders;
  }

  /**
   * The classes that belong together with a class; none if that is null or belongs to the JDK. Its
   * own package and those below it are for the {@link ClassAllowList} to allow.
   */
  public static ApplicationClasses of(@Nullable Class<?> caller) {
    ClassLoader loader = caller == null ? null : caller.getClassLoader();
    if (caller == null || loader == null || loader.equals(ClassLoader.getPlatformClassLoader())) {
      return NONE;
    }
    Module module = caller.getModule();
    if (module.isNamed()) {
      return module.equals(ApplicationClasses.class.getModule())
          ? NONE
          : new ApplicationClasses(loader, module.getPackages(), null, false);
    }
    URL file = find(loader, caller.getName());
    String root = file == null ? null : rootOf(file, caller.getName());
    return file == null || root == null || root.equals(rootOfEngine())
        ? NONE
        : new ApplicationClasses(loader, Set.of(), root, isFolder(file));
  }

  private static @Nullable String rootOfEngine() {
    URL file = ApplicationClasses.class.getResource("ApplicationClasses.class");
    return file == null ? null : rootOf(file, ApplicationClasses.class.getName());
  }

  /** Whether the class of this name belongs to the application; it need not exist. */
  boolean contains(String className) {
    if (loader == null || !isClassName(className) || GridPackages.contains(className)) {
      return false;
    }
    if (root == null) {
      return modulePackages.contains(ClassAllowList.packageName(className));
    }
    if (belonging.contains(className)) {
      return true;
    }
    if (refused.contains(className)) {
      return false;
    }
    URL file = locate(className);
    boolean belongs =
        file != null && (file.toString().startsWith(root) || (includesFolders && isFolder(file)));
    remember(className, belongs ? belonging : refused, belongs ? MAX_BELONGING : MAX_REFUSED);
    return belongs;
  }

  /** Remembers a name unless there are too many; threads that race may add a few more. */
  private static void remember(String className, Set<String> names, int maxNames) {
    if (names.size() < maxNames) {
      names.add(className);
    }
  }

  /** How many names are remembered. */
  int rememberedCount() {
    return belonging.size() + refused.size();
  }

  /** The jar or folder that a class of this name comes from; null if that is not known. */
  @Nullable String describeOrigin(String className) {
    URL file = root == null ? null : locate(className);
    String origin = file == null ? null : rootOf(file, className);
    if (origin == null) {
      return null;
    }
    // The messages of a node reach others, which the rest of the path is no concern of.
    String place = origin.replaceFirst("!?/+$", "");
    return place.substring(place.lastIndexOf('/') + 1);
  }

  /** Whether it is certain that there is no class of this name. */
  boolean isMissing(String className) {
    return root != null && isClassName(className) && locate(className) == null;
  }

  private @Nullable URL locate(String className) {
    return loader == null || !isClassName(className) ? null : find(loader, className);
  }

  private static @Nullable URL find(ClassLoader loader, String className) {
    return loader.getResource(className.replace('.', '/') + ".class");
  }

  /**
   * Whether a class file may have this name. Any other could reach a file elsewhere, such as one
   * above the folder.
   */
  private static boolean isClassName(String name) {
    return name.length() <= MAX_NAME_CHARACTERS
        && !name.isEmpty()
        && name.charAt(0) != '.'
        && name.charAt(name.length() - 1) != '.'
        && !name.contains("..")
        && name.codePoints().allMatch(ApplicationClasses::isPartOfClassName);
  }

  /** Names of Kotlin and Scala have spaces, dashes and other signs, so letters are not all. */
  private static boolean isPartOfClassName(int point) {
    return PrintableText.isPrintable(point) && "/\\;[]:%<>?#*|\"".indexOf(point) < 0;
  }

  /** The address of a class file without the name of the class. */
  private static @Nullable String rootOf(URL file, String className) {
    String text = file.toString();
    String path = className.replace('.', '/') + ".class";
    if (!text.endsWith("/" + path)) {
      return null;
    }
    String root = text.substring(0, text.length() - path.length());
    return RELEASE_FOLDER.matcher(root).replaceFirst("");
  }

  private static boolean isFolder(URL file) {
    return file.getProtocol().equals("file");
  }

  @Override
  public String toString() {
    return root != null ? root : "packages " + modulePackages;
  }
}
