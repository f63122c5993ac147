package io.cantle.core.topology;

import io.cantle.CacheConfig;
import io.cantle.CacheMode;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Notes;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a node with a store must not forget of its grid when its process ends: the topology it acts
 * by, the ballot it has promised to obey and what it has accepted. Whatever rests on that is said
 * only once it is on disk, so that the node's next life can stand by the word of this one.
 *
 * <p>A node without a store keeps nothing: its next life is another node.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper; what is to be done then is done with it.
 */
final class Ledger {
  /** The name of the note. */
  static final String NAME = "agreement";

  /**
   * How long a topology may be when a cache is founded in a grid of nodes with stores. While
   * segments move it is longer, four times at most as far as can be foreseen, and a note has two of
   * them: that much a store has room for. A longer note would end all stores at the same moment.
   */
  static final int MOST_FOUNDED_BYTES = 2 << 20;

  /**
   * How long a topology may become because somebody is admitted: caches of which everybody has a
   * copy grow by one more.
   */
  static final int MOST_GROWN_BYTES = 2 * MOST_FOUNDED_BYTES;

  private static final int FORMAT = 1;

  /** What waits for one note is asked for again if it is dropped. */
  private static final int MAX_WAITING = 1_000;

  /**
   * All of it.
   *
   * @param promised the ballot this node obeys
   * @param acceptedIn the ballot in which it has accepted something
   * @param accepted what, if nobody has decided it as far as this node knows
   * @param current the topology it acts by
   */
  record Page(Ballot promised, Ballot acceptedIn, @Nullable Topology accepted, Topology current) {
    /** Of a node that has never been in a grid. */
    static final Page BLANK = new Page(Ballot.NONE, Ballot.NONE, null, Topology.NONE);

    byte[] bytes() {
      Output out = new Output(1_024);
      out.writeByte(FORMAT);
      promised.write(out);
      acceptedIn.write(out);
      write(out, accepted);
      write(out, current.founded() ? current : null);
      return out.toByteArray();
    }

    private static void write(Output out, @Nullable Topology topology) {
      out.writeBoolean(topology != null);
      if (topology != null) {
        topology.write(out);
      }
    }

    private static Page read(Input in) {
      int format = in.readByte();
      if (format != FORMAT) {
        throw new MalformedException("format " + format + ", this node reads " + FORMAT);
      }
      Ballot promised = Ballot.read(in);
      Ballot acceptedIn = Ballot.read(in);
      Topology accepted = in.readBoolean() ? Topology.read(in) : null;
      Topology current = in.readBoolean() ? Topology.read(in) : Topology.NONE;
      return new Page(promised, acceptedIn, accepted, current);
    }
  }

  private final Notes notes;
  private final World world;
  private final ReentrantLock lock;
  private final boolean lasts;
  private final Page found;
  private byte[] last;
  private @Nullable List<Runnable> waiting;
  private UUID keptGrid = Topology.NONE.gridId();
  private long keptNumber;
  private long pages;
  private long keptPage;

  /**
   * Reads what an earlier life of this node has kept.
   *
   * @throws IllegalStateException if that cannot be read
   */
  Ledger(Notes notes, World world, ReentrantLock lock) {
    this.notes = notes;
    this.world = world;
    this.lock = lock;
    this.lasts = notes.lasts();
    byte[] bytes = notes.find(NAME);
    last = bytes == null ? new byte[0] : bytes;
    found = read(notes);
    keptGrid = found.current.gridId();
    keptNumber = found.current.number();
  }

  /**
   * What is noted.
   *
   * @throws IllegalStateException if that cannot be read
   */
  static Page read(Notes notes) {
    byte[] bytes = notes.find(NAME);
    try {
      return bytes == null ? Page.BLANK : Page.read(new Input(bytes));
    } catch (MalformedException e) {
      throw new IllegalStateException(
          "what this node has noted of its grid cannot be read: "
              + e.getMessage()
              + "; start the release that wrote it, or give the node another store",
          e);
    }
  }

  /** Why a cache cannot be founded beside those there are, or null if it can. */
  static @Nullable String refusal(Topology topology, CacheDefinition wanted) {
    long bytes = length(topology) + added(topology.members(), wanted);
    return bytes <= MOST_FOUNDED_BYTES
        ? null
        : "cache \""
            + wanted.name()
            + "\" with "
            + wanted.config().segments()
            + " segments would make what nodes with stores note of their grid "
            + bytes
            + " bytes long; the limit is "
            + MOST_FOUNDED_BYTES
            + ": open fewer caches, or with fewer CacheConfig.segments";
  }

  /** Why these cannot be the members, or null if they can: there would be too much to note. */
  static @Nullable String refusal(Topology topology, List<Member> members) {
    if (members.stream().noneMatch(Member::durable)) {
      return null;
    }
    Output out = new Output(1_024);
    topology.write(out);
    long bytes = out.position();
    for (Topology.CacheOwnership cache : topology.caches()) {
      CacheConfig config = cache.definition().config();
      int more = copies(config, members.size()) - copies(config, topology.members().size());
      bytes += Math.max(0, more) * copyBytes(members) * config.segments();
    }
    return bytes <= MOST_GROWN_BYTES
        ? null
        : "with "
            + members.size()
            + " members what nodes with stores note of their grid would be "
            + bytes
            + " bytes long; the limit is "
            + MOST_GROWN_BYTES
            + ", and replicated caches need more of it with each member";
  }

  private static int copies(CacheConfig config, int members) {
    return config.mode() == CacheMode.REPLICATED ? members : Math.min(config.owners(), members);
  }

  /** What a copy of a segment takes, as an owner and as what it shall be. */
  private static long copyBytes(List<Member> members) {
    return 2L * (members.size() > 127 ? 2 : 1);
  }

  /** How long what is noted of a grid is; nothing where nobody has a store. */
  static long length(Topology topology) {
    if (topology.members().stream().noneMatch(Member::durable)) {
      return 0;
    }
    Output out = new Output(1_024);
    topology.write(out);
    return out.position();
  }

  /** By how much another cache makes it longer. */
  static long added(List<Member> members, CacheDefinition wanted) {
    if (members.stream().noneMatch(Member::durable)) {
      return 0;
    }
    CacheConfig config = wanted.config();
    Output out = new Output(64);
    wanted.write(out);
    // Two numbers and five counts.
    long segmentBytes = 7 + copies(config, members.size()) * copyBytes(members);
    return out.position() + segmentBytes * config.segments();
  }

  /** Whether this node has other lives. */
  boolean lasts() {
    return lasts;
  }

  /** What the last life kept. */
  Page found() {
    return found;
  }

  /**
   * The number of the topology this node may say it has adopted: others go by it as by a promise.
   */
  long told(Topology current) {
    if (!lasts) {
      return current.number();
    }
    return keptGrid.equals(current.gridId()) ? Math.min(keptNumber, current.number()) : 0;
  }

  /** How often something was noted. */
  long pages() {
    return pages;
  }

  /** Keeps all of this in place of what was kept before, and does something once it is kept. */
  void keep(Page page, Runnable then) {
    if (!lasts) {
      then.run();
      return;
    }
    byte[] bytes = page.bytes();
    List<Runnable> same = waiting;
    if (!Arrays.equals(bytes, last)) {
      List<Runnable> due = new ArrayList<>(List.of(then));
      last = bytes;
      waiting = due;
      long number = ++pages;
      notes.keep(NAME, bytes, () -> world.threads().execute(() -> kept(number, page, due)));
    } else if (same == null) {
      then.run();
    } else if (same.size() < MAX_WAITING) {
      same.add(then);
    }
  }

  @SuppressWarnings("ReferenceEquality") // Whether it is the last note that is kept now.
  private void kept(long number, Page page, List<Runnable> due) {
    lock.lock();
    try {
      if (number > keptPage) {
        // Notes are kept one after the other, but may be heard of in another order.
        keptPage = number;
        keptGrid = page.current.gridId();
        keptNumber = page.current.number();
      }
      if (waiting == due) {
        waiting = null;
      }
      due.forEach(Runnable::run);
    } finally {
      lock.unlock();
    }
  }
}
