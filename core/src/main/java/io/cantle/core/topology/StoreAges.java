package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Notes;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.topology.StoreHistory.Life;
import io.cantle.core.transport.Member;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How old the stores of nodes are: this node's own {@link StoreHistory}, and how far those of the
 * others had come when they were last heard of. Both are notes on disk. A node that comes back
 * shows its history, and nothing it says counts for one who has heard of more.
 *
 * <p>What was written after a store had last told how far it is nobody knows of: a quarter of a
 * second. Nor does anybody who was not there, or whose own store is an old copy.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper; what is to be done once a note is kept is
 * done with it.
 */
final class StoreAges {
  /** The name of the note about this node's own store. */
  static final String HISTORY = "history";

  /** The name of the note about the stores of others. */
  static final String OTHERS = "others";

  private static final int FORMAT = 1;

  /** Of so many others it is known at least; of more only where the topology names them. */
  private static final int MAX_OTHERS = 1_000;

  private final Notes notes;
  private final World world;
  private final ReentrantLock lock;
  private final Map<UUID, Life> others;
  private final Set<Member> trusted = new HashSet<>();
  private StoreHistory written = StoreHistory.NONE;
  private StoreHistory kept = StoreHistory.NONE;
  private long changes;
  private boolean othersChanged;

  /**
   * Reads what earlier lives have noted.
   *
   * @throws IllegalStateException if that cannot be read
   */
  StoreAges(Notes notes, World world, ReentrantLock lock) {
    this.notes = notes;
    this.world = world;
    this.lock = lock;
    try {
      others = readOthers(notes.find(OTHERS));
      byte[] bytes = notes.find(HISTORY);
      written = bytes == null ? StoreHistory.NONE : StoreHistory.read(new Input(bytes));
    } catch (MalformedException e) {
      throw new IllegalStateException(
          "what this node has noted of the age of stores cannot be read: "
              + e.getMessage()
              + "; start the release that wrote it, or give the node another store",
          e);
    }
  }

  // ------------------------------------------------------------------ this node's own

  /** This life begins. */
  void begin(Member self) {
    if (self.durable()) {
      write(written.begun(self.id()));
    }
  }

  /**
   * Notes that this node's store has come further, if it has.
   *
   * @param now counts what was written in this life, whatever it is
   */
  void look(long now) {
    if (now != changes && !written.lives().isEmpty()) {
      changes = now;
      write(written.advanced());
    }
    if (othersChanged) {
      othersChanged = false;
      notes.keep(OTHERS, othersBytes(), () -> {});
    }
  }

  private void write(StoreHistory next) {
    written = next;
    Output out = new Output(64);
    next.write(out);
    notes.keep(HISTORY, out.toByteArray(), () -> world.threads().execute(() -> kept(next)));
  }

  private void kept(StoreHistory which) {
    lock.lock();
    try {
      if (kept.lives().isEmpty() || which.last().mark() > kept.last().mark()) {
        kept = which;
      }
    } finally {
      lock.unlock();
    }
  }

  /** What may be told: the next life will know it. Without lives while there is nothing. */
  StoreHistory told() {
    return kept;
  }

  // ------------------------------------------------------------------ those of others

  /** A member shows how far it is. */
  void memberIsAt(Member member, Life life) {
    if (life.id().equals(member.id())) {
      learn(member, life);
    }
  }

  /** A node that comes back shows its history; returns whether it is not that of an old copy. */
  boolean returns(Member member, StoreHistory history) {
    Life known = others.get(member.node());
    // What is heard of this life may come late.
    if (known != null && !known.id().equals(member.id()) && history.isBehind(known)) {
      trusted.remove(member);
      return false;
    }
    if (!history.lives().isEmpty() && history.last().id().equals(member.id())) {
      trusted.add(member);
      learn(member, history.last());
    }
    return true;
  }

  private void learn(Member member, Life life) {
    Life before = others.get(member.node());
    boolean isLate =
        before != null && before.id().equals(life.id()) && before.mark() >= life.mark();
    if (!isLate) {
      others.put(member.node(), life);
      othersChanged = true;
    }
  }

  /**
   * Whether what a node says counts that is no member in this life: it has shown its history, or
   * nothing was heard of its node since it began.
   */
  boolean trusts(Member member) {
    Life known = others.get(member.node());
    return known == null || known.id().equals(member.id()) || trusted.contains(member);
  }

  /** Who is no more in sight shows its history again. */
  void view(List<Member> present) {
    trusted.retainAll(present);
  }

  /** Of those that have no part in the grid any more not all are remembered. */
  void adopted(Topology topology) {
    if (others.size() > MAX_OTHERS) {
      Set<UUID> concerned = new HashSet<>();
      Recovery.concerned(topology).forEach(member -> concerned.add(member.node()));
      othersChanged |= others.keySet().retainAll(concerned);
    }
  }

  private byte[] othersBytes() {
    Output out = new Output(1_024);
    out.writeByte(FORMAT);
    out.writeVarint(others.size());
    new TreeMap<>(others)
        .forEach(
            (node, life) -> {
              out.writeId(node);
              life.write(out);
            });
    return out.toByteArray();
  }

  /** Has a stopped node forget how far the others had come: an operator takes them as they are. */
  static void forgetOthers(Notes notes, Runnable then) {
    Output out = new Output(8);
    out.writeByte(FORMAT);
    out.writeVarint(0);
    notes.keep(OTHERS, out.toByteArray(), then);
  }

  private static Map<UUID, Life> readOthers(byte @Nullable [] bytes) {
    Map<UUID, Life> read = new HashMap<>();
    if (bytes == null) {
      return read;
    }
    Input in = new Input(bytes);
    int format = in.readByte();
    if (format != FORMAT) {
      throw new MalformedException("format " + format + ", this node reads " + FORMAT);
    }
    for (int count = in.readCount(in.remaining()); count > 0; count--) {
      UUID node = in.readId();
      read.put(node, Life.read(in));
    }
    return read;
  }
}
