package io.cantle.core.discovery;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.StableStore;
import io.cantle.core.discovery.StoreHistory.StoreIncarnation;
import io.cantle.core.ownership.GridRecovery;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How old the stores of nodes are: this node's own {@link StoreHistory}, and how far the stores of
 * the others had come when they were last heard of. Both are records on disk. A restarted node
 * shows its history, and a node that has heard of more progress ignores all its other messages.
 *
 * <p>The check cannot see everything. No other node knows what was written after a store last
 * reported its progress; that is a quarter of a second. A node that was absent at the time, or
 * whose own store is an old copy, cannot know either.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}.
 */
public final class StoreHistoryTable {
  /** The name of the record about this node's own store. */
  public static final String HISTORY_RECORD_NAME = "history";

  /** The name of the record about the stores of others. */
  public static final String OTHERS_RECORD_NAME = "others";

  private static final int FORMAT_VERSION = 2;

  /**
   * Progress is remembered for at least this many other nodes; beyond that, only for those that the
   * topology names.
   */
  private static final int MAX_OTHERS = 1_000;

  private final Map<UUID, StoreIncarnation> otherIncarnations;
  private final Set<Member> trustedMembers = new HashSet<>();
  private StoreHistory latestHistory = StoreHistory.NONE;
  private StoreHistory durableHistory = StoreHistory.NONE;
  private long savedChangeCount;
  private boolean othersChanged;

  /**
   * Reads what earlier incarnations have recorded.
   *
   * @throws IllegalStateException if that cannot be read
   */
  public StoreHistoryTable(StableStore stableStore) {
    try {
      otherIncarnations = readOthers(stableStore.find(OTHERS_RECORD_NAME));
      byte[] bytes = stableStore.find(HISTORY_RECORD_NAME);
      latestHistory = bytes == null ? StoreHistory.NONE : StoreHistory.read(new Input(bytes));
    } catch (MalformedException e) {
      throw new IllegalStateException(
          "what this node has noted of the age of stores cannot be read: "
              + e.getMessage()
              + "; start the release that wrote it, or give the node another store",
          e);
    }
  }

  // ------------------------------------------------------------------ this node's own store

  /** Begins the present incarnation. */
  public List<DiscoveryEffect> beginIncarnation(Member self) {
    return self.hasStore()
        ? List.of(saveHistory(latestHistory.withNewIncarnation(self.id())))
        : List.of();
  }

  /**
   * Records that this node's store has come further, if it has.
   *
   * @param now counts everything that was written in this incarnation
   */
  public List<DiscoveryEffect> saveProgress(long now) {
    List<DiscoveryEffect> effects = new ArrayList<>();
    if (now != savedChangeCount && !latestHistory.incarnations().isEmpty()) {
      savedChangeCount = now;
      effects.add(saveHistory(latestHistory.withProgress()));
    }
    if (othersChanged) {
      othersChanged = false;
      effects.add(new DiscoveryEffect.SaveOthers(encodeOthers(otherIncarnations)));
    }
    return effects;
  }

  private DiscoveryEffect saveHistory(StoreHistory next) {
    latestHistory = next;
    return new DiscoveryEffect.SaveHistory(next);
  }

  /** Records that a history is on disk. */
  public void onHistorySaved(StoreHistory savedHistory) {
    if (durableHistory.incarnations().isEmpty()
        || savedHistory.currentIncarnation().mark() > durableHistory.currentIncarnation().mark()) {
      durableHistory = savedHistory;
    }
  }

  /**
   * What may be reported, because the next incarnation will know it. It has no incarnations until
   * the first record is saved.
   */
  StoreHistory durableHistory() {
    return durableHistory;
  }

  // ------------------------------------------------------------------ stores of others

  /** Handles a report of a member's progress. */
  void onMemberProgress(Member member, StoreIncarnation incarnation) {
    if (incarnation.id().equals(member.id())) {
      recordIncarnation(member, incarnation);
    }
  }

  /** Handles the history shown by a restarted node. Returns false if it is that of an old copy. */
  boolean acceptReturningMember(Member member, StoreHistory history) {
    StoreIncarnation known = otherIncarnations.get(member.nodeId());
    // A report about the present incarnation may arrive late.
    if (known != null && !known.id().equals(member.id()) && history.isBehind(known)) {
      trustedMembers.remove(member);
      return false;
    }
    if (!history.incarnations().isEmpty()
        && history.currentIncarnation().id().equals(member.id())) {
      trustedMembers.add(member);
      recordIncarnation(member, history.currentIncarnation());
    }
    return true;
  }

  private void recordIncarnation(Member member, StoreIncarnation incarnation) {
    StoreIncarnation before = otherIncarnations.get(member.nodeId());
    boolean isLate =
        before != null
            && before.id().equals(incarnation.id())
            && before.mark() >= incarnation.mark();
    if (!isLate) {
      otherIncarnations.put(member.nodeId(), incarnation);
      othersChanged = true;
    }
  }

  /**
   * Whether the messages of a node count although its present incarnation is not a member. They do
   * if it has shown its history, or if nothing was heard of an earlier incarnation of its node.
   */
  public boolean isTrusted(Member member) {
    StoreIncarnation known = otherIncarnations.get(member.nodeId());
    return known == null || known.id().equals(member.id()) || trustedMembers.contains(member);
  }

  /**
   * Forgets which nodes showed their history once they are no longer visible; they show it again.
   */
  public void onView(List<Member> present) {
    trustedMembers.retainAll(present);
  }

  /** Forgets nodes that no longer have any part in the grid, if there are too many. */
  public void onTopology(Topology topology) {
    if (otherIncarnations.size() > MAX_OTHERS) {
      Set<UUID> concerned = new HashSet<>();
      GridRecovery.relevantMembers(topology).forEach(member -> concerned.add(member.nodeId()));
      othersChanged |= otherIncarnations.keySet().retainAll(concerned);
    }
  }

  private static Output encodeOthers(Map<UUID, StoreIncarnation> incarnations) {
    Output out = new Output(1_024);
    out.writeByte(FORMAT_VERSION);
    out.writeList(
        new TreeMap<>(incarnations).entrySet(),
        known -> {
          out.writeId(known.getKey());
          known.getValue().write(out);
        });
    return out;
  }

  /**
   * Has a stopped node forget how far the stores of the others had come, because an operator
   * accepts them as they are.
   *
   * @param then run once that is on disk
   */
  public static void forgetOthers(StableStore stableStore, Runnable then) {
    stableStore.save(OTHERS_RECORD_NAME, encodeOthers(Map.of()).toByteArray(), then);
  }

  private static Map<UUID, StoreIncarnation> readOthers(byte @Nullable [] bytes) {
    Map<UUID, StoreIncarnation> read = new HashMap<>();
    if (bytes == null) {
      return read;
    }
    Input in = new Input(bytes);
    in.requireFormat(FORMAT_VERSION);

    for (int count = in.readCount(in.remaining()); count > 0; count--) {
      UUID node = in.readId();
      read.put(node, StoreIncarnation.read(in));
    }
    return read;
  }
}
