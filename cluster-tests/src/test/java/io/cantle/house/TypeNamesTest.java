package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.cantle.core.segment.PlantedNames;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Checks that no two types of the product have one name, and none of the API one of the JDK's. */
final class TypeNamesTest {
  private static final Set<String> API_PACKAGES = Set.of("io.cantle", "io.cantle.function");

  @Test
  void noTypeNameIsThereTwice() {
    assertThat(TypeNames.repeated(Repository.product(Repository.here().productionClasses())))
        .isEmpty();
  }

  @Test
  void noTypeOfTheApiHasANameOfTheJdk() throws IOException {
    assertThat(
            TypeNames.shared(
                Repository.product(Repository.here().productionClasses())
                    .filter(type -> API_PACKAGES.contains(type.getPackageName()))))
        .isEmpty();
  }

  @Test
  void findsAPlantedNameOfTheJdk() throws IOException {
    Class<?> planted = PlantedNames.TimeoutException.class;
    assertThat(TypeNames.shared(new ClassFileImporter().importClasses(planted).stream()))
        .containsExactly(planted.getName() + " has the name of a type of the JDK: choose another");
  }

  @Test
  void findsPlantedNestedNames() {
    Class<?> first = PlantedNames.FirstOuter.Repeated.class;
    Class<?> second = PlantedNames.SecondOuter.Repeated.class;
    assertThat(TypeNames.repeated(new ClassFileImporter().importClasses(first, second).stream()))
        .containsExactly("Repeated names " + first.getName() + " and " + second.getName());
  }
}
