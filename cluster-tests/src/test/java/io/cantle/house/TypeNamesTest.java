package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.cantle.core.segment.PlantedNames;
import org.junit.jupiter.api.Test;

/** Checks that no two types of the product have one name. */
final class TypeNamesTest {

  @Test
  void noTypeNameIsThereTwice() {
    assertThat(TypeNames.repeated(Repository.product(Repository.here().productionClasses())))
        .isEmpty();
  }

  @Test
  void findsPlantedNestedNames() {
    Class<?> first = PlantedNames.FirstOuter.Repeated.class;
    Class<?> second = PlantedNames.SecondOuter.Repeated.class;
    assertThat(TypeNames.repeated(new ClassFileImporter().importClasses(first, second).stream()))
        .containsExactly("Repeated names " + first.getName() + " and " + second.getName());
  }
}
