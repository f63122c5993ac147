package io.cantle.simulation;

import io.cantle.core.base.Version;
import io.cantle.core.container.Container.VisitResult;
import io.cantle.core.container.Entry;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.replica.ChangeObserver;
import io.cantle.core.replica.ChangeSubscription;
import io.cantle.core.replica.CommittedChange;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observes every replica of a node, and keeps a map of what it is told. No version may come twice,
 * and each change must fit the map. From time to time one observer pauses, and continues from the
 * version where it stopped. Its map must then equal that of one that begins anew, and at rest the
 * content of the replica.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ReplicaFeedChecker {
  private final List<FedReplica> all = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private int turn;

  /** Observes a replica that was just created. */
  void attach(Replica replica) {
    FedReplica fed = new FedReplica(replica);
    fed.observe(Version.NONE);
    all.add(fed);
  }

  /** Returns what was wrong so far, once; lets another observer pause. */
  List<String> check() {
    all.removeIf(fed -> fed.replica.state().epoch() == Integer.MAX_VALUE);
    all.forEach(FedReplica::resume);
    if (!all.isEmpty()) {
      turn = (turn + 1) % all.size();
      all.get(turn).pause();
    }
    List<String> found = List.copyOf(violations);
    violations.clear();
    return found;
  }

  /**
   * Returns how the maps differ from the replicas at rest. A replica that does not know yet whether
   * its last writes are committed is left out.
   */
  List<String> differences() {
    all.forEach(FedReplica::resume);
    List<String> differences = new ArrayList<>(violations);
    for (FedReplica fed : all) {
      if (fed.isClean() && !fed.liveVersions().equals(fed.heldVersions())) {
        differences.add(
            "segment "
                + fed.replica.segment()
                + " was fed as "
                + fed.liveVersions()
                + " and holds "
                + fed.heldVersions());
      }
    }
    return differences;
  }

  private static ByteBuffer keyOf(Entry entry) {
    return ByteBuffer.wrap(entry.bytes(), 0, entry.keyLength());
  }

  private final class FedReplica implements ChangeObserver {
    private final Replica replica;
    private final Map<ByteBuffer, Entry> known = new HashMap<>();
    private @Nullable ChangeSubscription subscription;
    private @Nullable Version pausedAt;

    FedReplica(Replica replica) {
      this.replica = replica;
    }

    @Override
    public void onReset() {
      known.clear();
    }

    @Override
    public void onCommitted(List<CommittedChange> changes) {
      for (CommittedChange change : changes) {
        Entry have = known.put(keyOf(change.after()), change.after());
        if (have != null && change.after().compareVersion(have) <= 0) {
          report(change + " comes after " + have);
        } else if (change.cause() != CommittedChange.Cause.RESTART
            && !isSame(have, change.before())) {
          report(change + " does not replace " + have);
        }
      }
    }

    /** A tombstone may be purged on one side. */
    private boolean isSame(@Nullable Entry one, @Nullable Entry other) {
      if (one == null || other == null) {
        return (one == null || one.isTombstone()) && (other == null || other.isTombstone());
      }
      return one.compareVersion(other) == 0 || (one.isTombstone() && other.isTombstone());
    }

    private void report(String problem) {
      violations.add("the feed of segment " + replica.segment() + ": " + problem);
    }

    ChangeSubscription observe(Version since) {
      ChangeSubscription added = replica.observe(this, Runnable::run, since);
      subscription = added;
      replica.performEffects();
      return added;
    }

    /** Stops, unless the observer is still being given what was there. */
    void pause() {
      ChangeSubscription present = subscription;
      Version position = present == null ? null : present.position();
      if (present != null && position != null) {
        replica.stopObserving(present);
        subscription = null;
        pausedAt = position;
      }
    }

    /** Continues, and compares the outcome with that of an observer that begins anew. */
    void resume() {
      Version since = pausedAt;
      if (since != null) {
        pausedAt = null;
        ChangeSubscription resumed = observe(since);
        FedReplica other = new FedReplica(replica);
        ChangeSubscription complete = other.observe(Version.NONE);
        if (resumed.position() != null
            && complete.position() != null
            && !liveVersions().equals(other.liveVersions())) {
          report(
              liveVersions() + " after a restart from " + since + ", not " + other.liveVersions());
        }
        replica.stopObserving(complete);
      }
    }

    /** Whether the replica is one of an owner, and all that it holds is committed. */
    private boolean isClean() {
      ReplicaState state = replica.state();
      boolean[] clean = {state.isReadable()};
      replica
          .entries()
          .scan(
              SegmentCursor.START,
              entry -> {
                clean[0] &= replica.isClean(entry, state.epoch());
                return VisitResult.CONTINUE;
              });
      return clean[0];
    }

    private Map<ByteBuffer, Version> liveVersions() {
      Map<ByteBuffer, Version> live = new HashMap<>();
      known.forEach((key, entry) -> addLive(live, key, entry));
      return live;
    }

    private Map<ByteBuffer, Version> heldVersions() {
      Map<ByteBuffer, Version> held = new HashMap<>();
      replica
          .entries()
          .scan(
              SegmentCursor.START,
              entry -> {
                addLive(held, keyOf(entry), entry);
                return VisitResult.CONTINUE;
              });
      return held;
    }

    private static void addLive(Map<ByteBuffer, Version> live, ByteBuffer key, Entry entry) {
      if (!entry.isTombstone()) {
        live.put(key, entry.version());
      }
    }
  }
}
