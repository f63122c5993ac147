package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import org.junit.jupiter.api.Test;

/** Checks that behind the API nothing is public that no other package uses. */
final class PublicSurfaceTest {
  private static final JavaClasses ALL = Repository.here().allClasses();

  @Test
  void nothingIsPublicThatNoOtherPackageUses() {
    assertThat(Repository.product(ALL).flatMap(PublicSurface::unused).distinct()).isEmpty();
  }

  @Test
  void findsPlantedPublicMembers() {
    JavaClass planted = ALL.get("io.cantle.core.segment.PlantedPublic");
    assertThat(PublicSurface.unused(planted).distinct())
        .containsExactlyInAnyOrder(planted.getName(), planted.getName() + ".unused()");
  }
}
