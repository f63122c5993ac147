package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.cantle.core.node.PlantedOwner;
import io.cantle.core.segment.Planted;
import io.cantle.core.unplaced.PlantedStray;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks which code may use what, over the built production classes; then checks each rule on a
 * planted violation.
 */
final class ArchitectureTest {

  private static final JavaClasses PRODUCTION = Repository.here().productionClasses();

  static final List<Ban> BANS = Ban.ALL;

  @Test
  void readsEveryProductionClass() {
    assertThat(PRODUCTION).isNotEmpty();
    assertThat(PRODUCTION.stream().filter(JavaClass::isTopLevelClass).count()).isPositive();
    assertThat((long) PRODUCTION.size()).isEqualTo(Repository.here().productionClassCount());
  }

  @Test
  void packagesOfCoreImportOnlyDownward() {
    assertThat(PackageOrder.CORE.violations(PRODUCTION)).isEmpty();
  }

  @ParameterizedTest
  @FieldSource("BANS")
  void bannedUsesHappenOnlyInTheirOwners(Ban ban) {
    assertThat(ban.violations(PRODUCTION)).isEmpty();
  }

  @Test
  void findsPlantedUpwardImport() {
    assertThat(PackageOrder.CORE.violations(read(Planted.ImportsUpward.class)))
        .containsExactly(
            Planted.ImportsUpward.class.getName()
                + " may not use "
                + PlantedOwner.class.getName()
                + ": node is above segment");
  }

  @Test
  void allowsDownwardImports() {
    assertThat(PackageOrder.CORE.violations(read(PlantedOwner.class))).isEmpty();
  }

  @Test
  void findsPlantedUnlistedPackage() {
    assertThat(PackageOrder.CORE.violations(read(PlantedStray.class)))
        .singleElement()
        .asString()
        .contains("no place in the order");
  }

  @ParameterizedTest
  @MethodSource("plantedViolations")
  void findsPlantedViolation(Ban ban, Class<?> planted, int uses) {
    assertThat(ban.violations(read(planted))).hasSize(uses);
    assertThat(BANS.stream().filter(other -> !other.equals(ban)))
        .allSatisfy(other -> assertThat(other.violations(read(planted))).isEmpty());
  }

  static Stream<Arguments> plantedViolations() {
    return Stream.of(
        Arguments.of(Ban.NETTY, Planted.NamesNetty.class, 1),
        Arguments.of(Ban.JAVA_SERIALIZATION, Planted.SerializesJava.class, 2),
        Arguments.of(Ban.THREADS, Planted.ConstructsThread.class, 1),
        Arguments.of(Ban.THREADS, Planted.BuildsVirtualThread.class, 1),
        Arguments.of(Ban.THREADS, Planted.MakesPool.class, 1),
        Arguments.of(Ban.THREADS, Planted.MakesTimer.class, 1),
        Arguments.of(Ban.COMMON_POOL, Planted.RunsAsyncWithoutExecutor.class, 1),
        Arguments.of(Ban.COMMON_POOL, Planted.StreamsInParallel.class, 1),
        Arguments.of(Ban.TIME, Planted.ReadsNanoTime.class, 1),
        Arguments.of(Ban.TIME, Planted.ReadsMillisByReference.class, 1),
        Arguments.of(Ban.TIME, Planted.ReadsInstant.class, 1),
        Arguments.of(Ban.TIMED_WAITS, Planted.WaitsOnFuture.class, 1),
        Arguments.of(Ban.TIMED_WAITS, Planted.ParksForNanos.class, 1),
        Arguments.of(Ban.RANDOMNESS, Planted.MakesRandom.class, 1),
        Arguments.of(Ban.RANDOMNESS, Planted.DrawsFromMath.class, 1),
        Arguments.of(Ban.RANDOMNESS, Planted.DrawsFromThread.class, 1),
        Arguments.of(Ban.RANDOMNESS, Planted.DrawsUuid.class, 1),
        Arguments.of(Ban.FILES, Planted.ReadsFile.class, 1),
        Arguments.of(Ban.FILES, Planted.OpensStream.class, 1));
  }

  @Test
  void allowsOwnersTheirUses() {
    JavaClasses owner = read(PlantedOwner.class);
    assertThat(BANS).allSatisfy(ban -> assertThat(ban.violations(owner)).isEmpty());
  }

  @Test
  void allowsAsyncWithExecutor() {
    JavaClasses careful = read(Planted.RunsAsyncWithExecutor.class);
    assertThat(BANS).allSatisfy(ban -> assertThat(ban.violations(careful)).isEmpty());
  }

  private static JavaClasses read(Class<?> type) {
    return new ClassFileImporter().importClasses(type);
  }
}
