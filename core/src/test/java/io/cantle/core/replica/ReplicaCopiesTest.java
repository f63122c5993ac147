package io.cantle.core.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.ContainerKind;
import io.cantle.core.base.Output;
import io.cantle.core.container.CountedArenas;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.Lifetime;
import io.cantle.core.container.OffHeapContainer;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.SegmentOwnership.Holder;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The second copies of a scattered segment: {@code a} is its primary at first. */
@ParameterizedClass
@EnumSource(names = {"HEAP", "OFF_HEAP"})
final class ReplicaCopiesTest {
  private final CountedArenas arenas = new CountedArenas(Long.MAX_VALUE);
  private final MemoryAccount account = new MemoryAccount(Long.MAX_VALUE);
  private final ManualReplica a;
  private final ManualReplica b;
  private final ManualReplica c;

  ReplicaCopiesTest(ContainerKind kind) {
    a = scattered("a", kind);
    b = scattered("b", kind);
    c = scattered("c", kind);
  }

  private ManualReplica scattered(String name, ContainerKind kind) {
    return ManualReplica.scattered(
        name,
        kind == ContainerKind.HEAP ? new HeapContainer() : new OffHeapContainer(arenas, account));
  }

  @AfterEach
  void close() {
    for (ManualReplica one : List.of(a, b, c)) {
      one.replica.close();
    }
    assertThat(arenas.reservedBytes()).isZero();
  }

  @BeforeEach
  void open() {
    enterAll(owned(1, a, List.of(), holder(b, false), holder(c, false)), a, b, c);
    serve(a, 1);
  }

  private static Holder holder(ManualReplica holder, boolean isDraining) {
    return new Holder(holder.self, 1, isDraining);
  }

  private static SegmentOwnership owned(
      int epoch, ManualReplica primary, List<Member> last, Holder... holders) {
    List<Member> owners = List.of(primary.self);
    return new SegmentOwnership(
        epoch, 1, owners, owners, List.of(), List.of(), last, List.of(holders));
  }

  private static void enterAll(SegmentOwnership ownership, ManualReplica... all) {
    for (ManualReplica one : all) {
      assertThat(one.enter(ownership)).isTrue();
    }
  }

  /** Has the primary send its holders what they need, and serve. */
  private void serve(ManualReplica primary, int epoch) {
    primary.replica.copies().beginUpdates(epoch);
    update(primary, epoch);
    assertThat(primary.replica.copies().isReady(epoch)).isTrue();
    assertThat(primary.replica.serveEpoch(epoch)).isTrue();
  }

  /** Sends all that holders are to be told; returns how many updates that took. */
  private int update(ManualReplica primary, int epoch) {
    int sent = 0;
    ReplicaCopies copies = primary.replica.copies();
    List<Member> holders = copies.holdersToUpdate();
    while (!holders.isEmpty()) {
      for (Member holder : holders) {
        ManualReplica to = holder.equals(a.self) ? a : holder.equals(b.self) ? b : c;
        CopyUpdate update = Objects.requireNonNull(copies.nextUpdate(holder, epoch, 0, 0));
        Output out = new Output(64);
        update.write(out);
        CopyUpdate read = CopyUpdate.read(out.toInput(), ManualReplica.SEED);
        assertThat(to.replica.copies().applyUpdate(epoch, read)).isTrue();
        copies.onUpdated(holder, epoch, update.number());
        sent++;
      }
      holders = copies.holdersToUpdate();
    }
    return sent;
  }

  private static CommandOutcome.Written put(
      ManualReplica primary, Member origin, String key, String value) {
    return (CommandOutcome.Written) primary.put(primary.commandOf(origin), key, value);
  }

  /** Sends a write to its holder, and its acknowledgement back. */
  private static void hold(
      ManualReplica primary, CommandOutcome.Written written, ManualReplica holder) {
    assertThat(written.route().receivers()).containsExactly(holder.self);
    ApplyResult applied = ManualReplica.send(written, holder);
    primary.replica.onAck(holder.self, written.state().epoch(), applied.applied());
  }

  private static List<Entry> copiesOf(ManualReplica holder) {
    List<Entry> all = new ArrayList<>();
    holder.replica.entries().forEach(all::add);
    return all.stream()
        .map(
            one -> {
              Output out = new Output(64);
              CopiedEntry.write(out, one);
              return CopiedEntry.read(out.toInput(), ManualReplica.SEED);
            })
        .toList();
  }

  private static void collect(ManualReplica primary, int epoch, ManualReplica from) {
    Output metadata = new Output(64);
    assertThat(from.replica.copies().writeMetadata(epoch, metadata)).isTrue();
    assertThat(
            primary.replica.copies().collect(from.self, epoch, copiesOf(from), metadata.toInput()))
        .isTrue();
  }

  @Test
  void writerHoldsTheSecondCopy() {
    CommandOutcome.Written written = put(a, b.self, "k", "1");
    assertThat(a.peek("k").status()).isEqualTo(LocalRead.Status.DIRTY);
    hold(a, written, b);
    assertThat(a.peek("k").status()).isEqualTo(LocalRead.Status.CLEAN);
    assertThat(b.contents()).containsExactly("k=1");
    assertThat(c.contents()).isEmpty();
    assertThat(b.peek("k").status())
        .as("a holder answers no read")
        .isNotEqualTo(LocalRead.Status.CLEAN);
  }

  @Test
  void writeOfThePrimaryGoesToTheHolderOfTheKey() {
    hold(a, put(a, c.self, "k", "1"), c);
    hold(a, put(a, a.self, "k", "2"), c);
    hold(a, put(a, a.self, "other", "1"), b);
    assertThat(c.contents()).containsExactly("k=2");
  }

  @Test
  void holderAppliesItsWritesInTheirOrder() {
    CommandOutcome.Written first = put(a, b.self, "k", "1");
    CommandOutcome.Written other = put(a, c.self, "o", "1");
    CommandOutcome.Written second = put(a, b.self, "k", "2");
    assertThat(ManualReplica.send(second, b).applied()).as("it waits for the first").isZero();
    assertThat(ManualReplica.send(first, b).applied()).isEqualTo(3);
    a.replica.onAck(b.self, 1, 3);
    assertThat(a.peek("k").status())
        .as("another write is not held")
        .isEqualTo(LocalRead.Status.DIRTY);
    hold(a, other, c);
    assertThat(a.peek("k").status()).isEqualTo(LocalRead.Status.CLEAN);
  }

  @Test
  void formerHolderDropsItsCopyOnceTheNextOneIsHeld() {
    hold(a, put(a, b.self, "k", "1"), b);
    CommandOutcome.Written moved = put(a, c.self, "k", "2");
    assertThat(update(a, 1)).as("only one node has the new version").isZero();
    hold(a, moved, c);
    assertThat(update(a, 1)).isOne();
    assertThat(b.contents()).isEmpty();
    assertThat(c.contents()).containsExactly("k=2");
  }

  @Test
  void dropThatWaitsMeansNoLaterCopyOfTheSameHolder() {
    hold(a, put(a, b.self, "k", "1"), b);
    hold(a, put(a, c.self, "k", "2"), c);
    CommandOutcome.Written back = put(a, b.self, "k", "3");
    CommandOutcome.Written again = put(a, c.self, "k", "4");
    assertThat(update(a, 1)).as("the first copy may go").isOne();
    hold(a, back, b);
    assertThat(update(a, 1)).as("the fourth write is not held").isZero();
    assertThat(b.contents()).containsExactly("k=3");
    hold(a, again, c);
    update(a, 1);
    assertThat(b.contents()).isEmpty();
    assertThat(c.contents()).containsExactly("k=4");
  }

  @Test
  void tombstoneStaysUntilFormerHoldersHaveConfirmed() {
    hold(a, put(a, b.self, "k", "1"), b);
    hold(a, a.remove(a.commandOf(c.self), "k"), c);
    assertThat(a.contents()).containsExactly("k-");
    assertThat(c.contents()).containsExactly("k-");
    update(a, 1);
    assertThat(a.contents()).isEmpty();
    assertThat(b.contents()).isEmpty();
    assertThat(c.contents()).isEmpty();
  }

  @Test
  void holderRefusesCopiesOfAnEarlierEpoch() {
    CommandOutcome.Written late = put(a, b.self, "k", "1");
    b.enter(owned(2, c, List.of(a.self), holder(c, true), holder(b, false)));
    assertThat(b.replica.applyReplicated(ManualReplica.read(late, b, 0))).isNull();
    assertThat(b.contents()).isEmpty();
  }

  @Test
  void newPrimaryTakesTheNewestVersions() {
    hold(a, put(a, b.self, "k", "1"), b);
    hold(a, put(a, c.self, "k", "2"), c);
    hold(a, put(a, b.self, "mine", "1"), b);
    enterAll(owned(2, b, List.of(a.self), holder(b, true), holder(c, false)), b, c);
    collect(b, 2, c);
    b.replica.copies().finishCollecting(2);
    assertThat(b.contents()).containsExactly("k=2", "mine=1");
    assertThat(b.replica.copies().isComplete(2)).as("nobody else has what it held").isFalse();
    update(b, 2);
    assertThat(b.replica.copies().isComplete(2)).isTrue();
    assertThat(c.contents()).containsExactly("k=2", "mine=1");
  }

  @Test
  void newPrimaryTakesTheTimeOfTheHolderOfTheLastWrite() {
    writeWithASuspensionBetween();
    enterAll(owned(2, c, List.of(a.self), holder(c, true), holder(b, false)), b, c);
    collect(c, 2, b);
    c.replica.copies().finishCollecting(2);
    assertThat(c.replica.expiry().segmentMillis()).isBetween(0L, 500L);
  }

  @Test
  void newPrimaryWithTheLastWriteKeepsItsTime() {
    writeWithASuspensionBetween();
    enterAll(owned(2, b, List.of(a.self), holder(b, true), holder(c, false)), b, c);
    collect(b, 2, c);
    b.replica.copies().finishCollecting(2);
    assertThat(b.replica.expiry().segmentMillis()).isBetween(0L, 500L);
  }

  /**
   * Writes from two nodes. The primary's clock stands still meanwhile, and those of others go on.
   */
  private void writeWithASuspensionBetween() {
    Lifetime second = new Lifetime(1_000, 0);
    hold(a, a.put(a.commandOf(c.self), "early", "1", second), c);
    b.clock.advance(TimeUnit.SECONDS.toNanos(3));
    c.clock.advance(TimeUnit.SECONDS.toNanos(3));
    hold(a, a.put(a.commandOf(b.self), "late", "2", second), b);
  }

  @Test
  void entriesOfAHolderThatIsGoneGetAnotherOne() {
    hold(a, put(a, b.self, "k", "1"), b);
    enterAll(owned(2, a, List.of(), holder(b, true), holder(c, false)), a, c);
    a.replica.copies().beginUpdates(2);
    assertThat(a.replica.copies().isComplete(2)).isFalse();
    update(a, 2);
    assertThat(a.replica.copies().isComplete(2)).isTrue();
    assertThat(c.contents()).containsExactly("k=1");
  }

  @Test
  void uncommittedWriteIsHeldBeforeTheNextEpochIsServed() {
    put(a, b.self, "k", "1");
    enterAll(owned(2, a, List.of(), holder(b, false), holder(c, false)), a, b, c);
    a.replica.copies().beginUpdates(2);
    assertThat(a.replica.copies().isReady(2)).isFalse();
    serve(a, 2);
    List<String> both = new ArrayList<>(b.contents());
    both.addAll(c.contents());
    assertThat(both).containsExactly("k=1");
  }

  @Test
  void commandThatALaterWriteCountsIsKnownToItsHolder() {
    CommandId command = a.commandOf(b.self);
    CommandOutcome.Written lost = (CommandOutcome.Written) a.put(command, "k", "1");
    CommandOutcome.Written later = put(a, c.self, "k", "2");
    assertThat(lost.route().receivers()).containsExactly(b.self);
    ManualReplica.send(later, c);
    enterAll(owned(2, c, List.of(a.self), holder(c, true), holder(b, false)), c, b);
    collect(c, 2, b);
    c.replica.copies().finishCollecting(2);
    update(c, 2);
    assertThat(c.replica.serveEpoch(2)).isTrue();
    CommandOutcome again = c.put(command, "k", "1");
    assertThat(again).isInstanceOf(CommandOutcome.ResultOnly.class);
    assertThat(c.contents()).containsExactly("k=2");
  }

  @Test
  void holderSinceALaterEpochBringsNothingFromBefore() {
    hold(a, put(a, b.self, "k", "1"), b);
    b.enter(owned(3, a, List.of(), new Holder(b.self, 3, false), holder(c, false)));
    assertThat(b.contents()).isEmpty();
  }
}
