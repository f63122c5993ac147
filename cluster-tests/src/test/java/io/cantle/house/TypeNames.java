package io.cantle.house;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds types that have one name. Nested and local types count too: a reader meets their simple
 * names. The one exception are the function types of {@code io.cantle.function}, whose outer type
 * says which primitive they are for, as in {@code IntFunctions.Predicate}.
 *
 * <p><b>Threading:</b> any thread.
 */
final class TypeNames {

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

  private static boolean isExcepted(JavaClass type) {
    return type.getSimpleName().equals("package-info")
        || (type.getPackageName().equals("io.cantle.function") && type.isNestedClass());
  }
}
