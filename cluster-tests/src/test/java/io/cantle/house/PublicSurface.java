package io.cantle.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds what a type makes public although only its own package uses it. The API is left out,
 * because its users are elsewhere, and so is what the language makes public: members of interfaces
 * and records, values of enums, and methods that override others. A lambda leaves no trace of its
 * interface in a class file, so a type that a public signature of its package names counts as used.
 * Neither does a constant, so a type with public constants counts as used. Not every build compiles
 * the benchmarks, so every word of their sources counts as a use.
 *
 * <p><b>Threading:</b> any thread.
 */
final class PublicSurface {
  /** Methods that the JDK declares, whose types are not among the classes that are read. */
  private static final Set<String> OF_THE_JDK =
      Set.of(
          "equals",
          "hashCode",
          "toString",
          "compareTo",
          "subscribe",
          "getKey",
          "getValue",
          "setValue");

  /** Types used by name: a service, what the codec reads, and the program of a process. */
  private static final Set<String> USED_BY_NAME =
      Set.of("EmbeddedGrids", "StreamEntry", "DemoNode");

  private static final Set<String> WORDS_OF_BENCHMARKS =
      Repository.here().textFiles().stream()
          .filter(file -> file.isIn("bench") && file.isJava())
          .flatMap(file -> Arrays.stream(file.text().split("\\W+")))
          .collect(Collectors.toUnmodifiableSet());

  private PublicSurface() {}

  /** The public type and the public methods that no other package uses. */
  static Stream<String> unused(JavaClass type) {
    List<String> found = new ArrayList<>();
    if (isApi(type) || !isPublic(type) || USED_BY_NAME.contains(type.getSimpleName())) {
      return found.stream();
    }
    if (!isUsedElsewhere(type)) {
      found.add(type.getName());
    }
    if (!type.isInterface()) {
      type.getMethods().stream()
          .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
          .filter(method -> !method.getModifiers().contains(JavaModifier.SYNTHETIC))
          .filter(method -> !isImplied(method))
          .filter(method -> !WORDS_OF_BENCHMARKS.contains(method.getName()))
          .filter(
              method ->
                  method.getAccessesToSelf().stream()
                      .noneMatch(access -> !isOfSamePackage(access.getOriginOwner(), type)))
          .forEach(method -> found.add(type.getName() + "." + signature(method)));
    }
    return found.stream();
  }

  private static boolean isApi(JavaClass type) {
    return type.getPackageName().equals("io.cantle")
        || type.getPackageName().equals("io.cantle.function")
        || type.getPackageName().equals("io.cantle.store.library");
  }

  /** Whether a type says itself that it is public, and not only the interface around it. */
  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(outer -> !outer.isInterface()).orElse(true);
  }

  private static boolean isUsedElsewhere(JavaClass type) {
    return WORDS_OF_BENCHMARKS.contains(type.getSimpleName())
        || type.getFields().stream().anyMatch(PublicSurface::isConstant)
        || type.getDirectDependenciesToSelf().stream()
            .anyMatch(
                use ->
                    !isOfSamePackage(use.getOriginClass(), type)
                        || isInPublicSignature(type, use.getOriginClass()))
        || type.getSubclasses().stream()
            .anyMatch(below -> !isOfSamePackage(below, type) || isUsedElsewhere(below));
  }

  private static boolean isConstant(JavaField field) {
    return field
        .getModifiers()
        .containsAll(Set.of(JavaModifier.PUBLIC, JavaModifier.STATIC, JavaModifier.FINAL));
  }

  private static boolean isInPublicSignature(JavaClass type, JavaClass user) {
    return !user.equals(type)
        && user.getModifiers().contains(JavaModifier.PUBLIC)
        && user.getCodeUnits().stream()
            .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC))
            .anyMatch(
                unit ->
                    unit.getRawReturnType().equals(type)
                        || unit.getRawParameterTypes().contains(type));
  }

  private static boolean isImplied(JavaMethod method) {
    if (OF_THE_JDK.contains(method.getName())) {
      return true;
    }
    JavaClass owner = method.getOwner();
    if (owner.isRecord() && owner.tryGetField(method.getName()).isPresent()) {
      return true;
    }
    if (owner.isEnum() && method.getModifiers().contains(JavaModifier.STATIC)) {
      return true;
    }
    return Stream.concat(
            owner.getAllRawSuperclasses().stream(), owner.getAllRawInterfaces().stream())
        .flatMap(above -> above.getMethods().stream())
        .anyMatch(overridden -> overridden.getName().equals(method.getName()));
  }

  private static boolean isOfSamePackage(JavaClass user, JavaClass type) {
    return user.getPackageName().equals(type.getPackageName());
  }

  private static String signature(JavaMethod method) {
    return method.getName()
        + "("
        + String.join(
            ", ", method.getRawParameterTypes().stream().map(JavaClass::getSimpleName).toList())
        + ")";
  }
}
