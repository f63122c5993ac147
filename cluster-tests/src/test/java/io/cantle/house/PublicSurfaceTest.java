package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that behind the API nothing is public that no other package uses, and that no two types of
 * the product have one name.
 */
final class PublicSurfaceTest {
  private static final JavaClasses ALL = Repository.here().allClasses();

  @Test
  void nothingIsPublicThatNoOtherPackageUses() {
    assertThat(product().flatMap(PublicSurface::unused).distinct()).isEmpty();
  }

  @Test
  void noTypeNameIsThereTwice() {
    assertThat(product().filter(JavaClass::isTopLevelClass).map(JavaClass::getSimpleName))
        .filteredOn(name -> !name.equals("package-info"))
        .doesNotHaveDuplicates();
  }

  @Test
  void findsPlantedPublicMembers() {
    JavaClass planted = ALL.get("io.cantle.core.segment.PlantedPublic");
    assertThat(PublicSurface.unused(planted).distinct())
        .containsExactlyInAnyOrder(planted.getName(), planted.getName() + ".unused()");
  }

  /** The classes of the product, without its tools and tests. */
  private static Stream<JavaClass> product() {
    List<String> folders =
        List.of("/api/", "/store/", "/core/", "/jgroups/", "/embedded/").stream()
            .map(module -> module + "target/classes/")
            .toList();
    return ALL.stream()
        .filter(
            type ->
                type.getSource()
                    .map(source -> source.getUri().getPath())
                    .filter(path -> folders.stream().anyMatch(path::contains))
                    .isPresent());
  }
}
