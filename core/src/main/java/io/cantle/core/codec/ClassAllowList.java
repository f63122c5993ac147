package io.cantle.core.codec;

import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The classes whose objects may be decoded and whose lambdas may be used. Value types of the JDK
 * are always allowed. Any other class is allowed only if it belongs to the application, or if its
 * package was named. A package includes all packages below it.
 *
 * <p>The check is by name, so a refused class is neither loaded nor initialised.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class ClassAllowList {
  /** The setting that messages tell the user to change. */
  static final String SETTING = "GridConfig.allowing";

  /** The name of an array class, with the name of its elements' class if they are objects. */
  private static final Pattern ARRAY_NAME = Pattern.compile("\\[+(?:[ZBCSIJFD]|L(.*);)");

  /** The name of a dynamic proxy, in whatever package. */
  private static final Pattern PROXY_NAME = Pattern.compile("(?:.*\\.)?\\$Proxy\\d+");

  private final Set<String> packages;
  private final ApplicationClasses application;

  private ClassAllowList(Set<String> packages, ApplicationClasses application) {
    this.packages = packages;
    this.application = application;
  }

  /**
   * Creates a list of these packages and the value types of the JDK.
   *
   * @param packages names such as {@code com.acme.orders}; the empty name stands for the classes
   *     without a package
   * @throws IllegalArgumentException if a name is not a package name, or is a package of the JDK,
   *     whose value types are allowed already and whose other classes must not be
   */
  public static ClassAllowList of(Collection<String> packages) {
    return of(packages, ApplicationClasses.NONE);
  }

  /** Creates a list of these packages, the application, and the value types of the JDK. */
  public static ClassAllowList of(Collection<String> packages, ApplicationClasses application) {
    return new ClassAllowList(
        packages.stream()
            .map(ClassAllowList::checkPackageName)
            .collect(Collectors.toUnmodifiableSet()),
        application);
  }

  /** The classes of the application, which are allowed without being named. */
  ApplicationClasses application() {
    return application;
  }

  /**
   * Whether objects of this class may be decoded. For an array, its element type decides. A dynamic
   * proxy is never allowed, because its behaviour is in its handler and not in its class.
   */
  boolean allows(Class<?> type) {
    return !Proxy.isProxyClass(type) && allowsName(type.getName());
  }

  /**
   * Whether objects of the class of this name may be decoded; the class need not exist.
   *
   * @param className as returned by {@link Class#getName}, including arrays
   */
  boolean allowsName(String className) {
    if (!className.startsWith("[")) {
      return allowsElement(className);
    }
    Matcher array = ARRAY_NAME.matcher(className);
    return array.matches() && (array.group(1) == null || allowsElement(array.group(1)));
  }

  @Override
  public String toString() {
    return "JDK value types, packages %s and the application in %s"
        .formatted(new TreeSet<>(packages), application);
  }

  /**
   * Whether the class of this name is a dynamic proxy, by the rule of {@link Proxy}. A class that
   * somebody has written may have such a name too, but a nested one has its outer class before it.
   */
  static boolean isProxyName(String className) {
    return PROXY_NAME.matcher(className).matches();
  }

  private boolean allowsElement(String className) {
    if (isProxyName(className)) {
      return false;
    }
    if (PlatformTypes.isValue(className)) {
      return true;
    }
    if (PlatformTypes.isPlatform(className)) {
      return false;
    }
    String name = packageName(className);
    while (!packages.contains(name) && name.indexOf('.') >= 0) {
      name = packageName(name);
    }
    return packages.contains(name) || application.contains(className);
  }

  /** The package of the class of this name; empty if it has none. */
  static String packageName(String className) {
    int dot = className.lastIndexOf('.');
    return dot < 0 ? "" : className.substring(0, dot);
  }

  private static String checkPackageName(String name) {
    if (PlatformTypes.isPlatform(name + ".")) {
      throw new IllegalArgumentException(
          ("package '%s' cannot be allowed by %s: it belongs to the JDK, whose value types are"
                  + " allowed already")
              .formatted(name, SETTING));
    }
    if (!name.isEmpty() && !isPackageName(name)) {
      throw new IllegalArgumentException(
          "'" + name + "' in " + SETTING + " is not a package name such as com.acme.orders");
    }
    return name;
  }

  private static boolean isPackageName(String name) {
    return Stream.of(name.split("\\.", -1))
        .allMatch(
            part ->
                !part.isEmpty()
                    && Character.isJavaIdentifierStart(part.charAt(0))
                    && part.chars().allMatch(Character::isJavaIdentifierPart));
  }
}
