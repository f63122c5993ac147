package io.cantle.core.codec;

import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which classes may come out of bytes, and whose lambdas may. The value types of the JDK always
 * may; everything else only from a package that was named. A package stands for itself and all
 * below it.
 *
 * <p>The check is by name, so that a refused class is never loaded, let alone initialised.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ClassAllowList {
  /** What a message tells the reader to change. */
  static final String SETTING = "GridConfig.allow";

  private final Set<String> packages;

  private ClassAllowList(Set<String> packages) {
    this.packages = packages;
  }

  /**
   * A list of these packages and the value types of the JDK.
   *
   * @param packages names such as {@code com.acme.orders}; the empty name stands for the classes
   *     without a package
   * @throws IllegalArgumentException when a name is no package name, or one of the JDK's own: of
   *     those the value types are allowed already, and the rest must stay out
   */
  public static ClassAllowList of(Collection<String> packages) {
    Set<String> checked = new TreeSet<>();
    for (String name : packages) {
      checked.add(checkPackageName(name));
    }
    return new ClassAllowList(Set.copyOf(checked));
  }

  /** This list and one more package, under the rules of {@link #of}. */
  public ClassAllowList with(String name) {
    Set<String> extended = new TreeSet<>(packages);
    extended.add(checkPackageName(name));
    return new ClassAllowList(Set.copyOf(extended));
  }

  /**
   * Whether objects of this class may be decoded. Of an array its elements decide; a dynamic proxy
   * never may, since its behaviour lies in a handler and not in the class that is asked about.
   */
  public boolean allows(Class<?> type) {
    return !Proxy.isProxyClass(type) && allowsName(type.getName());
  }

  /**
   * Whether objects of the class of this name may be decoded; the class need not exist.
   *
   * @param className as {@link Class#getName} has it, arrays included
   */
  public boolean allowsName(String className) {
    int dimensions = 0;
    while (dimensions < className.length() && className.charAt(dimensions) == '[') {
      dimensions++;
    }
    if (dimensions == 0) {
      return allowsElement(className);
    }
    String element = className.substring(dimensions);
    if (element.length() == 1) {
      return "ZBCSIJFD".contains(element);
    }
    return element.startsWith("L")
        && element.endsWith(";")
        && allowsElement(element.substring(1, element.length() - 1));
  }

  @Override
  public String toString() {
    return "JDK value types and packages " + new TreeSet<>(packages);
  }

  private boolean allowsElement(String className) {
    if (PlatformTypes.isValue(className)) {
      return true;
    }
    if (PlatformTypes.isPlatform(className)) {
      return false;
    }
    String name = packageName(className);
    if (packages.contains(name)) {
      return true;
    }
    for (int dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
      if (packages.contains(name.substring(0, dot))) {
        return true;
      }
    }
    return false;
  }

  private static String packageName(String className) {
    int dot = className.lastIndexOf('.');
    return dot < 0 ? "" : className.substring(0, dot);
  }

  private static String checkPackageName(String name) {
    if (PlatformTypes.isPlatform(name + ".")) {
      throw new IllegalArgumentException(
          "package '"
              + name
              + "' cannot be allowed by "
              + SETTING
              + ": it belongs to the JDK, whose value types are allowed already");
    }
    if (!name.isEmpty() && !isPackageName(name)) {
      throw new IllegalArgumentException(
          "'" + name + "' in " + SETTING + " is no package name such as com.acme.orders");
    }
    return name;
  }

  private static boolean isPackageName(String name) {
    for (String part : name.split("\\.", -1)) {
      if (part.isEmpty()
          || !Character.isJavaIdentifierStart(part.charAt(0))
          || !part.chars().allMatch(Character::isJavaIdentifierPart)) {
        return false;
      }
    }
    return true;
  }
}
