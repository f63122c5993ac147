package io.cantle.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds types that have one name, and names that users would mistake for the JDK's. Nested and
 * local types count too: a reader meets their simple names. The one exception are the function
 * types of {@code io.cantle.function}, whose outer type says which primitive they are for, as in
 * {@code IntFunctions.Predicate}.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TypeNames {

  /** The packages of the JDK whose types a user of a grid is likely to import as well. */
  private static final List<String> COMMON_PACKAGES =
      List.of(
          "java.io",
          "java.lang",
          "java.nio.file",
          "java.time",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.util.function",
          "java.util.stream");

  private TypeNames() {}

  /** Describes each name that several types have. */
  static Stream<String> repeated(Stream<JavaClass> types) {
    Map<String, TreeSet<String>> byName =
        types
            .filter(type -> !type.isAnonymousClass() && !isExcepted(type))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getSimpleName,
                    TreeMap::new,
                    Collectors.mapping(JavaClass::getName, Collectors.toCollection(TreeSet::new))));
    return byName.entrySet().stream()
        .filter(named -> named.getValue().size() > 1)
        .map(named -> named.getKey() + " names " + String.join(" and ", named.getValue()));
  }

  /** Describes each public type whose name a type of the JDK's common packages has. */
  static Stream<String> shared(Stream<JavaClass> types) throws IOException {
    Set<String> common = commonNames();
    return types
        .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC) && !isExcepted(type))
        .filter(type -> common.contains(type.getSimpleName()))
        .map(type -> type.getName() + " has the name of a type of the JDK: choose another");
  }

  /** The simple names of the top-level types in the JDK's common packages. */
  private static Set<String> commonNames() throws IOException {
    try (ModuleReader base = ModuleFinder.ofSystem().find("java.base").orElseThrow().open();
        Stream<String> files = base.list()) {
      return files
          .filter(file -> file.endsWith(".class") && file.contains("/") && !file.contains("$"))
          .filter(file -> COMMON_PACKAGES.contains(packageName(file)))
          .map(file -> file.substring(file.lastIndexOf('/') + 1, file.length() - ".class".length()))
          .filter(name -> !name.equals("package-info"))
          .collect(Collectors.toUnmodifiableSet());
    }
  }

  private static String packageName(String file) {
    return file.substring(0, file.lastIndexOf('/')).replace('/', '.');
  }

  private static boolean isExcepted(JavaClass type) {
    return type.getSimpleName().equals("package-info")
        || (type.getPackageName().equals("io.cantle.function") && type.isNestedClass());
  }
}
