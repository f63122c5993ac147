package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.bytes;
import static io.cantle.core.replica.HandReplica.hash;
import static io.cantle.core.replica.HandReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.topology.Charter;
import io.cantle.core.topology.Descent;
import io.cantle.core.topology.Mode;
import io.cantle.core.topology.Ownership;
import io.cantle.core.transport.Member;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What becomes of an owner's copy when its node is excluded. In a grid that stays available it is
 * kept until it is known that others serve the segment: a topology that says so may be an old one.
 */
final class ExcludedCopyTest {
  private static final UUID GRID = new UUID(1, 2);

  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final HandReplica c = new HandReplica("c");

  private static Charter charter(Mode mode) {
    return new Charter(GRID, 0, HandReplica.SEED, mode, Descent.NONE, true, false, false);
  }

  private boolean enter(Ownership ownership, Mode mode, boolean isMember) {
    return a.replica.enter(ownership, a.self, charter(mode), isMember);
  }

  /** Owns a key alone. */
  private void held(Mode mode) {
    enter(ownership(1, a), mode, true);
    a.replica.takeOver(1, Map.of());
    a.replica.serve(1);
    byte[] key = bytes("k");
    a.replica.execute(
        () -> true,
        1,
        a.nextCommand(),
        hash("k"),
        key,
        0,
        key.length,
        found -> Effect.put(bytes("k1"), Result.ABSENT, true));
  }

  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"STOP", "NEWER"})
  void whatItHeldIsToBeMergedInAnAvailableGridOnly(Mode mode) {
    held(mode);
    enter(ownership(3, b), mode, false);
    assertThat(a.replica.state().role()).isEqualTo(Role.NONE);
    assertThat(a.contents()).isEmpty();
    Partings.Orphaned orphaned = a.replica.takeOrphaned();
    assertThat(orphaned != null).isEqualTo(mode.available());
    if (orphaned != null) {
      assertThat(orphaned.whole()).isTrue();
      assertThat(orphaned.last().entered()).as("as far as it took part").isEqualTo(1);
      assertThat(orphaned.entries()).hasSize(1);
    }
  }

  @Test
  void whoIsReplacedAsAMemberKeepsNothing() {
    held(Mode.NEWER);
    enter(ownership(3, b), Mode.NEWER, true);
    assertThat(a.contents()).isEmpty();
    assertThat(a.replica.takeOrphaned()).isNull();
  }

  @Test
  void whoMightHaveBeenNeededKeepsItUntilItIsAdmittedAgain() {
    held(Mode.NEWER);
    List<Member> owners = List.of(b.self);
    enter(
        new Ownership(2, 1, owners, owners, List.of(), List.of(), List.of(a.self)),
        Mode.NEWER,
        false);
    assertThat(a.replica.state().role()).isEqualTo(Role.KEEPER);
    assertThat(a.replica.takeOrphaned()).isNull();
    assertThat(a.contents()).containsExactly("k=1");
    enter(ownership(3, List.of(b), List.of(a), 3), Mode.NEWER, true);
    assertThat(a.contents()).isEmpty();
    Partings.Orphaned orphaned = Objects.requireNonNull(a.replica.takeOrphaned());
    assertThat(orphaned.whole()).as("it took no part in the last epoch").isFalse();
    assertThat(orphaned.last().entered()).isEqualTo(2);
  }

  @Test
  void whoIsAnOwnerAgainGoesOnWithItsCopy() {
    held(Mode.NEWER);
    List<Member> owners = List.of(b.self);
    enter(
        new Ownership(2, 1, owners, owners, List.of(), List.of(), List.of(a.self)),
        Mode.NEWER,
        false);
    enter(ownership(3, b, a), Mode.NEWER, true);
    assertThat(a.contents()).containsExactly("k=1");
    assertThat(a.replica.takeOrphaned()).isNull();
  }

  @Test
  void aJoinerThatHasAPartOnlyKeepsNothing() {
    enter(ownership(1, List.of(b), List.of(a), 1), Mode.NEWER, true);
    enter(ownership(2, b, c), Mode.NEWER, false);
    assertThat(a.replica.takeOrphaned()).isNull();
  }
}
