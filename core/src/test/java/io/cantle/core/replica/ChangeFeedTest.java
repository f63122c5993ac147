package io.cantle.core.replica;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static io.cantle.core.replica.ManualReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ChangeFeedTest {
  private final ManualReplica a = new ManualReplica("a");
  private final ManualReplica b = new ManualReplica("b");
  private final ManualReplica c = new ManualReplica("c");

  /** Writes down what it is told. */
  private static class Recorder implements ChangeObserver {
    final List<String> told = new ArrayList<>();

    @Override
    public void onReset() {
      told.add("reset");
    }

    @Override
    public void onCommitted(List<CommittedChange> changes) {
      for (CommittedChange change : changes) {
        told.add(
            change.version()
                + " "
                + text(change.before())
                + " -> "
                + text(change.after())
                + " "
                + change.cause());
      }
    }

    private static String text(@Nullable Entry entry) {
      return entry == null ? "nothing" : entry.isTombstone() ? "-" : ManualReplica.value(entry);
    }
  }

  private static Recorder observe(ManualReplica one, Version since) {
    Recorder recorder = new Recorder();
    one.replica.observe(recorder, Runnable::run, since);
    one.replica.performEffects();
    return recorder;
  }

  private void commit(CommandOutcome.Written written) {
    a.replica.onAck(b.self, 1, send(written, b).applied());
    a.replica.performEffects();
    b.replica.applyCommitIndex(1, written.write().index());
    b.replica.performEffects();
  }

  @Test
  void primaryAndBackupTellWhatIsCommittedInItsOrder() {
    open(ownership(1, a, b), a, b);
    Recorder atPrimary = observe(a, Version.NONE);
    Recorder atBackup = observe(b, Version.NONE);
    CommandOutcome.Written first = a.written("k", "1");
    send(first, b);
    b.replica.performEffects();
    assertThat(atPrimary.told).isEmpty();
    assertThat(atBackup.told).isEmpty();
    commit(first);
    commit(a.written("k", "2"));
    commit((CommandOutcome.Written) a.remove("k"));
    assertThat(atPrimary.told)
        .containsExactly("1/1 nothing -> 1 COMMAND", "1/2 1 -> 2 COMMAND", "1/3 2 -> - COMMAND")
        .isEqualTo(atBackup.told);
  }

  @Test
  void observerThatBeginsLateIsTheSameAsOneThatWasThere() {
    open(ownership(1, a, b), a, b);
    commit(a.written("k", "1"));
    CommandOutcome.Written second = a.written("k", "2");
    Recorder late = observe(a, Version.NONE);
    assertThat(late.told).as("what the second write replaces is not known").isEmpty();
    CommandOutcome.Written third = a.written("k", "3");
    commit(second);
    assertThat(late.told).containsExactly("1/2 nothing -> 2 RESTART");
    commit(third);
    assertThat(late.told).last().isEqualTo("1/3 2 -> 3 COMMAND");
  }

  @Test
  void restartBringsEntriesAndTombstonesThatAreNewer() {
    open(ownership(1, List.of(a, b), List.of(c), 1), a, b, c);
    for (String key : List.of("k", "l", "m")) {
      commitAll(a.written(key, "1"));
    }
    commitAll(a.written("l", "2"));
    commitAll((CommandOutcome.Written) a.remove("m"));
    assertThat(observe(a, new Version(1, 3)).told)
        .containsExactlyInAnyOrder("1/4 nothing -> 2 RESTART", "1/5 nothing -> - RESTART");
    assertThat(observe(a, new Version(1, 5)).told).isEmpty();
  }

  private void commitAll(CommandOutcome.Written written) {
    a.replica.onAck(c.self, 1, send(written, c).applied());
    commit(written);
  }

  @Test
  void restartBeforeAPurgedTombstoneIsAReset() {
    open(ownership(1, a, b), a, b);
    commit(a.written("k", "1"));
    commit(a.written("l", "1"));
    commit((CommandOutcome.Written) a.remove("k"));
    assertThat(observe(a, new Version(1, 2)).told)
        .containsExactly("reset", "1/2 nothing -> 1 RESTART");
    assertThat(observe(a, new Version(1, 3)).told).isEmpty();
  }

  @Test
  void observerThatIsResetWaitsForWritesItDidNotSee() {
    open(ownership(1, a, b), a, b);
    commit(a.written("k", "1"));
    commit((CommandOutcome.Written) a.remove("k"));
    CommandOutcome.Written unseen = a.written("l", "1");
    Recorder late = observe(a, new Version(1, 1));
    assertThat(late.told).containsExactly("reset");
    commit(unseen);
    assertThat(late.told).containsExactly("reset", "1/3 nothing -> 1 RESTART");
  }

  @Test
  void joinerTellsNothingBeforeItHoldsEverything() {
    open(ownership(1, a, b), a, b);
    commit(a.written("k", "1"));
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    c.replica.applyCommitIndex(2, 0);
    Recorder atJoiner = observe(c, Version.NONE);
    assertThat(c.transferred(2, 0, List.of(), SegmentCursor.START)).isTrue();
    c.replica.performEffects();
    assertThat(atJoiner.told).isEmpty();
    assertThat(c.transferred(2, 0, List.of(ManualReplica.entry("k", "1", 1, 1)), SegmentCursor.END))
        .isTrue();
    c.replica.performEffects();
    assertThat(atJoiner.told).containsExactly("1/1 nothing -> 1 RESTART");
  }

  @Test
  void droppedReplicaResetsItsObservers() {
    open(ownership(1, a, b), a, b);
    commit(a.written("k", "1"));
    Recorder atBackup = observe(b, Version.NONE);
    b.enter(ownership(2, a));
    assertThat(atBackup.told).containsExactly("1/1 nothing -> 1 RESTART", "reset");
    assertThat(observe(b, new Version(1, 1)).told)
        .as("an observer that paused meanwhile")
        .containsExactly("reset");
  }

  @Test
  void stepPaysForOneBatchOfAScanOnly() {
    open(ownership(1, a), a);
    int keys = 1_000;
    for (int i = 0; i < keys; i++) {
      a.written("k" + i, "v");
    }
    Recorder recorder = new Recorder();
    List<Runnable> started = new ArrayList<>();
    ChangeSubscription subscription = a.replica.observe(recorder, started::add, Version.NONE);
    a.replica.performEffects();
    int given = recorder.told.size();
    assertThat(given).isBetween(1, 128);
    a.written("another", "v");
    a.replica.performEffects();
    assertThat(recorder.told).as("one thread at a time delivers").hasSize(given);
    assertThat(started).hasSize(1);
    started.getFirst().run();
    assertThat(recorder.told).hasSize(keys + 1).doesNotHaveDuplicates();
    assertThat(subscription.position()).isEqualTo(new Version(1, keys + 1));
    a.written("another", "w");
    a.replica.performEffects();
    assertThat(recorder.told).as("a change takes no thread").hasSize(keys + 2);
    assertThat(started).hasSize(1);
  }

  /** Throws at some of the calls. */
  private static final class FailingRecorder extends Recorder {
    int callsBeforeFailures;
    int failures;

    private void failIfWanted() {
      if (callsBeforeFailures-- <= 0 && failures > 0) {
        failures--;
        throw new IllegalStateException("an observer that fails");
      }
    }

    @Override
    public void onReset() {
      failIfWanted();
      super.onReset();
    }

    @Override
    public void onCommitted(List<CommittedChange> changes) {
      failIfWanted();
      super.onCommitted(changes);
    }
  }

  @Test
  void observerThatThrowsContinuesAfterTheLastVersionItWasGiven() {
    open(ownership(1, a, b), a, b);
    FailingRecorder failing = new FailingRecorder();
    ChangeSubscription subscription = a.replica.observe(failing, Runnable::run, Version.NONE);
    a.replica.performEffects();
    commit(a.written("k", "1"));
    failing.failures = 2;
    commit(a.written("k", "2"));
    assertThat(failing.told).containsExactly("1/1 nothing -> 1 COMMAND");
    assertThat(subscription.position()).as("it begins again").isNull();
    commit(a.written("l", "1"));
    assertThat(failing.failures).as("left").isZero();
    commit(a.written("k", "3"));
    assertThat(failing.told.subList(1, failing.told.size()))
        .containsExactlyInAnyOrder("1/3 nothing -> 1 RESTART", "1/4 nothing -> 3 RESTART");
    assertThat(subscription.position()).isEqualTo(new Version(1, 4));
  }

  @Test
  void observerThatThrowsInTheMiddleOfAScanIsReset() {
    open(ownership(1, a), a);
    int keys = 200;
    for (int i = 0; i < keys; i++) {
      a.written("k" + i, "v");
    }
    FailingRecorder failing = new FailingRecorder();
    failing.callsBeforeFailures = 1;
    failing.failures = 2;
    ChangeSubscription subscription = a.replica.observe(failing, Runnable::run, Version.NONE);
    a.replica.performEffects();
    int given = failing.told.size();
    assertThat(given).isBetween(1, keys - 1);
    a.replica.performEffects();
    assertThat(failing.failures).as("left, since the reset failed too").isZero();
    assertThat(failing.told).hasSize(given);
    a.replica.performEffects();
    assertThat(failing.told.get(given)).isEqualTo("reset");
    assertThat(failing.told.subList(given + 1, failing.told.size()))
        .hasSize(keys)
        .doesNotHaveDuplicates();
    assertThat(subscription.position()).isEqualTo(new Version(1, keys));
  }

  @Test
  void slowObserverHoldsABoundedQueueAndMissesNoKey() {
    open(ownership(1, a), a);
    int keys = 3 * ChangeSubscription.MAX_QUEUED_CHANGES;
    Set<Version> versions = new HashSet<>();
    Set<String> values = new HashSet<>();
    int[] longest = new int[1];
    ChangeObserver slow =
        new ChangeObserver() {
          @Override
          public void onReset() {
            throw new AssertionError("it was given everything up to a version");
          }

          @Override
          public void onCommitted(List<CommittedChange> changes) {
            longest[0] = Math.max(longest[0], changes.size());
            for (CommittedChange change : changes) {
              assertThat(versions.add(change.version())).as(change.toString()).isTrue();
              values.add(ManualReplica.value(change.after()));
            }
            if (values.size() == 1) {
              // While this observer is busy, no other thread can give it anything.
              for (int i = 1; i < keys; i++) {
                a.written("k" + i, "v" + i);
                a.replica.performEffects();
              }
            }
          }
        };
    ChangeSubscription subscription = a.replica.observe(slow, Runnable::run, Version.NONE);
    a.replica.performEffects();
    a.written("k0", "v0");
    a.replica.performEffects();
    assertThat(values).hasSize(keys);
    assertThat(longest[0]).isLessThanOrEqualTo(ChangeSubscription.MAX_QUEUED_CHANGES);
    assertThat(subscription.position()).isEqualTo(new Version(1, keys));
    a.replica.stopObserving(subscription);
    a.written("k", "later");
    a.replica.performEffects();
    assertThat(values).hasSize(keys);
    assertThat(Objects.requireNonNull(a.peek("k").entry()).index()).isEqualTo(keys + 1);
  }
}
