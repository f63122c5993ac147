package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * How nodes find into one grid. Who leads a grid greets everybody the transport shows that is no
 * member; who has no grid asks to be admitted. When nobody of those in sight has one, the first of
 * them founds it.
 *
 * <p>Two grids that meet become one if in one of them nothing was ever written: it ends, by a last
 * topology its voters decide, and its members join the other. If both were written to, the one
 * founded later serves no more and says so. Forks of one grid always become one: see {@link
 * Descent}.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Meetings {
  /** How long what another node said about itself counts. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long who gave its grid up looks for the one it was given up for. */
  private static final long FORSAKEN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Requests requests;
  private final World world;
  private final TopologyKeeper.Founding founding;
  private final Lease lease;
  private final Mode mode;
  private final Foreign foreign;
  private final Lives lives;
  private final Map<Member, Fresh> fresh = new HashMap<>();

  /** Those that have no grid either, and would found one this node is not to be in. */
  private final Map<Member, Fresh> misfits = new HashMap<>();

  private Topology ended = Topology.NONE;
  private long endedAt;
  private boolean metGrid;
  private long metGridAt;

  /**
   * What a node says about its grid.
   *
   * @param gridId which; all zero for none
   * @param used whether it was written to
   * @param foundedMillis when it was founded
   * @param alive whether it can go on: it hears of a majority
   * @param reply whether it answers another one
   * @param descent of which grids its grid is a fork
   * @param mode what nodes of its grid do that are cut off
   */
  record Hello(
      UUID gridId,
      boolean used,
      long foundedMillis,
      boolean alive,
      boolean reply,
      Descent descent,
      Mode mode) {
    /** Of a node without a grid. */
    static final Hello NO_GRID =
        new Hello(
            Topology.NONE.gridId(), false, 0, false, false, Descent.NONE, Charter.NONE.mode());

    void write(Output out) {
      out.writeId(gridId);
      out.writeBoolean(used);
      out.writeLong(foundedMillis);
      out.writeBoolean(alive);
      out.writeBoolean(reply);
      descent.write(out);
      out.writeByte(mode.code());
    }

    static Hello read(Input in) {
      return new Hello(
          in.readId(),
          in.readBoolean(),
          in.readLong(),
          in.readBoolean(),
          in.readBoolean(),
          Descent.read(in),
          Mode.of(in.readByte()));
    }
  }

  /** What a hello asks of the keeper. */
  enum Outcome {
    /** Nothing more. */
    NOTHING,
    /** This grid is to be given up, if this node leads it. */
    YIELD,
    /** This node is to leave its grid for the other at once. */
    LEAVE
  }

  Meetings(
      Requests requests,
      World world,
      TopologyKeeper.Founding founding,
      Lease lease,
      Lives lives,
      Foreign foreign) {
    this.requests = requests;
    this.world = world;
    this.founding = founding;
    this.mode = Mode.of(founding.whenCut());
    this.lease = lease;
    this.lives = lives;
    this.foreign = foreign;
  }

  /** This node is of a grid from an earlier life, whatever the present one was to be in. */
  void restored(Mode its) {
    if (its != mode) {
      foreign.refused(its);
    }
  }

  // ------------------------------------------------------------------ without a grid

  /** When a node said that it has no grid, and the seat it said it has. */
  private record Fresh(long saidAt, Seat seat) {}

  /** A node says that it has no grid either, and what one is to be in which it would be. */
  void fresh(Member member, Seat seat, Mode wanted) {
    (wanted == mode ? fresh : misfits).put(member, new Fresh(world.clock().nanoTime(), seat));
  }

  /**
   * Asks everybody in sight for admission; the first of them, who would found a grid, asks whether
   * they have one.
   */
  void ask(List<Member> view) {
    boolean first = view.getFirst().equals(requests.self());
    for (Member member : view) {
      if (!member.equals(requests.self())) {
        if (first) {
          say(member, Hello.NO_GRID);
        } else {
          askIn(member, Topology.NONE.gridId());
        }
      }
    }
  }

  /** Who founds a grid together with this node; empty while it is not time for that. */
  List<Member> founders(Topology current, List<Member> view) {
    long now = world.clock().nanoTime();
    fresh.values().removeIf(one -> now - one.saidAt > FRESH_NANOS);
    misfits.values().removeIf(one -> now - one.saidAt > FRESH_NANOS);
    if (current.founded()
        || view.isEmpty()
        || !view.getFirst().equals(requests.self())
        || !isTime(view, now)
        || (metGrid && now - metGridAt < FRESH_NANOS)) {
      return List.of();
    }
    List<Member> founders = new ArrayList<>();
    for (Member member : view) {
      if (member.equals(requests.self()) || fresh.containsKey(member)) {
        founders.add(member);
      } else if (!misfits.containsKey(member)) {
        return List.of();
      }
    }
    return founders;
  }

  /** Who was in a grid gives those time it has given it up for. */
  private boolean isTime(List<Member> view, long now) {
    return ended.charter().available()
        ? now - endedAt >= FORSAKEN_NANOS
        : view.size() >= founding.initialMembers();
  }

  /** The first topology of a new grid. */
  Topology found(List<Member> founders) {
    UUID gridId = new UUID(world.random().nextLong(), world.random().nextLong());
    if (ended.charter().available()) {
      // What was given up is still to be merged, and those it was given up for are out of reach.
      Charter charter = ended.charter().forked(gridId, ended.number(), 0);
      Membership membership = Membership.founded(founders, this::seat, charter.oldestDecides());
      return new Topology(1, charter, membership, List.of());
    }
    Charter charter =
        Charter.founded(gridId, world.clock().wallMillis(), world.random().nextLong(), mode);
    Membership membership = Membership.founded(founders, this::seat, charter.oldestDecides());
    return new Topology(1, charter, membership, List.of());
  }

  /** The seat of a founder. */
  private Seat seat(Member member) {
    Fresh said = fresh.get(member);
    return said == null ? founding.seat() : said.seat;
  }

  /** Asks to be admitted, as one that is in this grid already, or in none. */
  void askIn(Member member, UUID gridId) {
    Output out = requests.message(Kind.JOIN);
    out.writeId(gridId);
    founding.seat().write(out);
    out.writeByte(mode.code());
    requests.post(member, out);
  }

  /** The grid of this node has ended: it does not found another before it has met the one. */
  void gaveUp(Topology last) {
    metGrid = true;
    metGridAt = world.clock().nanoTime();
    ended = last;
    endedAt = metGridAt;
  }

  // ------------------------------------------------------------------ with one

  /** Greets those in sight that are no members. */
  void greet(Topology current, List<Member> view) {
    for (Member member : view) {
      if (!current.members().contains(member)) {
        say(member, hello(current, false));
      }
    }
  }

  /** Asks the voters, of whom nothing was heard for long, whether this grid is still theirs. */
  void lookFor(Topology current) {
    for (Member voter : current.membership().voters()) {
      for (Member life : lives.of(voter)) {
        if (!life.equals(requests.self())) {
          say(life, hello(current, false));
        }
      }
    }
  }

  /** Whether there is another grid than this one. */
  boolean isAnother(Topology current, Hello its) {
    return !its.gridId.equals(current.gridId()) && !its.gridId.equals(Topology.NONE.gridId());
  }

  private Hello hello(Topology current, boolean reply) {
    Charter charter = current.charter();
    return new Hello(
        current.gridId(),
        charter.used(),
        charter.foundedMillis(),
        lease.held(),
        reply,
        charter.descent(),
        charter.mode());
  }

  /** Tells somebody of another grid which this one is. */
  void greet(Topology current, Member member) {
    say(member, hello(current, false));
  }

  private void say(Member member, Hello hello) {
    Output out = requests.message(Kind.HELLO);
    hello.write(out);
    requests.post(member, out);
  }

  /** Somebody says which grid it belongs to. */
  Outcome helloCame(Topology current, Member from, Hello its, boolean cutOff) {
    boolean hasGrid = !its.gridId.equals(Topology.NONE.gridId());
    if (!current.founded()) {
      if (hasGrid || from.compareTo(requests.self()) < 0) {
        // There is a grid already, or of two that would found one this node is not the first.
        metGrid = true;
        metGridAt = world.clock().nanoTime();
      }
      if (!hasGrid || its.mode == mode) {
        askIn(from, Topology.NONE.gridId());
      } else if (its.alive) {
        foreign.refused(its.mode);
      }
      return Outcome.NOTHING;
    }
    if (its.gridId.equals(current.gridId())) {
      // It does not count this node as a member, whatever this node believes.
      if (!its.reply) {
        askIn(from, current.gridId());
      }
      return Outcome.NOTHING;
    }
    if (!its.reply) {
      say(from, hello(current, true));
    }
    if (hasGrid && current.charter().related(its.gridId, its.descent)) {
      return metRelative(current, from, its, cutOff);
    }
    return hasGrid ? metGrid(current, from, its) : Outcome.NOTHING;
  }

  /**
   * Two grids of which one is a fork of the other, or both of a third. Whoever gives way does so
   * only after an answer: it must be able to ask to be admitted.
   */
  private Outcome metRelative(Topology current, Member from, Hello its, boolean cutOff) {
    if (!its.alive) {
      return Outcome.NOTHING;
    }
    Charter charter = current.charter();
    boolean isMember = current.members().contains(requests.self());
    boolean alone = cutOff || !isMember;
    boolean yields =
        Descent.goesOn(its.gridId, its.descent, charter.gridId(), charter.descent())
            // Nobody may be left to admit it again: it would wait for ever. It is no voter.
            || (cutOff && !isMember)
            // Who is cut off may know of more than a fork that left before: it forks, too.
            || (alone
                && its.descent.steps().stream()
                    .anyMatch(
                        step ->
                            step.grid().equals(charter.gridId())
                                && step.number() >= current.number()));
    if (!yields) {
      return Outcome.NOTHING;
    }
    if (!its.reply) {
      greet(current, from);
      return Outcome.NOTHING;
    }
    return alone ? Outcome.LEAVE : Outcome.YIELD;
  }

  private Outcome metGrid(Topology current, Member from, Hello its) {
    boolean used = current.charter().used();
    // By what never changes, so that all nodes find the same. How many members a grid has says
    // nothing of what it holds: several that have just started would stop one left of many.
    boolean older = current.charter().isOlderThan(its.gridId, its.foundedMillis);
    if (!used) {
      return its.used || !older ? Outcome.YIELD : Outcome.NOTHING;
    }
    if (its.used && !older) {
      System.getLogger(Meetings.class.getName())
          .log(
              System.Logger.Level.DEBUG,
              "met {0} of an older grid of the same name, {1}",
              from,
              its.gridId);
      foreign.met();
    }
    return Outcome.NOTHING;
  }
}
