package io.cantle.house;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The order of the packages of one module, from top to bottom. A package imports only from packages
 * below it. So there is no cycle, and each package can be read and tested with only those below it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param root the package that contains all others
 * @param topDown names below the root; a package nested deeper counts as its first name
 */
record PackageOrder(String root, List<String> topDown) {

  /** Think before editing this list: it is the shape of the engine. */
  static final PackageOrder CORE =
      new PackageOrder(
          "io.cantle.core",
          List.of(
              "node",
              "stream",
              "publish",
              "operation",
              "rebalance",
              "scan",
              "replica",
              "call",
              "topology",
              "discovery",
              "agreement",
              "partition",
              "ownership",
              "wire",
              "transport",
              "persistence",
              "container",
              "codec",
              "segment",
              "base",
              "memory"));

  /**
   * Returns one line for each import that goes up, and for each class in a package without a place.
   */
  List<String> violations(Iterable<JavaClass> classes) {
    return StreamSupport.stream(classes.spliterator(), false)
        .filter(type -> isInside(type.getPackageName()))
        .flatMap(this::violations)
        .distinct()
        .sorted()
        .toList();
  }

  private Stream<String> violations(JavaClass type) {
    int from = topDown.indexOf(room(type.getPackageName()));
    if (from < 0) {
      return Stream.of(
          "%s is in a package that has no place in the order %s"
              .formatted(type.getName(), topDown));
    }
    return type.getDirectDependenciesFromSelf().stream()
        .filter(dependency -> isInside(target(dependency).getPackageName()))
        .filter(dependency -> topDown.indexOf(room(target(dependency).getPackageName())) < from)
        .map(
            dependency ->
                "%s may not use %s: %s is above %s"
                    .formatted(
                        type.getName(),
                        target(dependency).getName(),
                        room(target(dependency).getPackageName()),
                        topDown.get(from)));
  }

  private static JavaClass target(Dependency dependency) {
    return dependency.getTargetClass().getBaseComponentType();
  }

  private boolean isInside(String packageName) {
    return packageName.equals(root) || packageName.startsWith(root + ".");
  }

  private String room(String packageName) {
    String inside = packageName.substring(root.length());
    return inside.isEmpty() ? "" : inside.substring(1).split("\\.", -1)[0];
  }
}
