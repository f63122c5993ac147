package io.cantle.core.topology;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * What comes of meeting another node: it is admitted, or this node joins it, founds a grid with it,
 * or gives its grid up for that of the other. What is said is for {@link Meetings} to know, and how
 * a grid is entered and left for {@link Succession}.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Encounters {
  /** How often the same is shown: one message may be lost. */
  private static final int TIMES_SHOWN = 2;

  /** For how long at most the only voter looks for the others when it comes back. */
  private static final long MAX_SOUGHT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Requests requests;
  private final Clock clock;
  private final long began;
  private final long soughtNanos;
  private final Succession succession;
  private final Register register;
  private final Lease lease;
  private final Leader leader;
  private final Meetings meetings;
  private final Lives lives;
  private final Refusals refusals;
  private final DuplicateProcesses duplicates;

  /** What was shown to the others last, and how often. */
  private StoreHistory shown = StoreHistory.NONE;

  private int timesShown;

  /** How often all members have seen it, one time after the other, while this node comes back. */
  private int timesShownToAll;

  Encounters(Requests requests, Clock clock, Succession succession, Duration timeout) {
    this.requests = requests;
    this.clock = clock;
    this.began = clock.nanoTime();
    // Whoever waits for this node is to see it go on.
    this.soughtNanos = Math.min(MAX_SOUGHT_NANOS, timeout.toNanos() / 2);
    this.succession = succession;
    register = succession.register;
    lease = succession.lease;
    leader = succession.leader;
    meetings = succession.meetings;
    lives = succession.lives;
    refusals = succession.refusals;
    duplicates = new DuplicateProcesses(clock, requests);
  }

  private Topology current() {
    return succession.current();
  }

  /** Somebody has said something, whatever it is. */
  void heard(Member from) {
    if (current().members().contains(from)) {
      duplicates.heard(from);
    }
  }

  /** Who is in sight. */
  void view(List<Member> present) {
    duplicates.view(current(), present);
  }

  /** Somebody says which grid it belongs to. */
  void helloCame(Member from, Input in) {
    Meetings.Hello hello = Meetings.Hello.read(in);
    boolean another = meetings.isAnother(current(), hello);
    boolean related = current().charter().related(hello.gridId(), hello.descent());
    if (another && !related && succession.empty()) {
      succession.giveUp();
    }
    if (another && current().charter().continues(hello.gridId())) {
      meetFormer(from);
      return;
    }
    if (another && hello.descent().recoveryOf(current().gridId()) != null) {
      // This node's grid goes on there: it is told how, or that it was given up.
      meetings.askIn(from, current().gridId());
      return;
    }
    if (!succession.wantsIn()) {
      // It holds nothing, and those who would have to know that it leaves are in another grid.
      if (another && related && hello.alive() && succession.lapsed()) {
        succession.giveUp();
      }
      return;
    }
    switch (meetings.helloCame(current(), from, hello, succession.lapsed())) {
      case NOTHING -> {}
      case LEAVE -> succession.giveUp();
      case YIELD -> {
        if (register.ready()) {
          register.propose(
              new Topology(
                  current().number() + 1,
                  current().charter().asGivenUp(),
                  current().membership(),
                  current().caches()));
        }
      }
    }
  }

  /** Somebody asks to be admitted; returns whether it is to be, because this node leads. */
  boolean joinCame(Member from, Input in, List<Member> view) {
    UUID its = in.readId();
    Seat seat = Seat.read(in);
    Mode mode = Mode.of(in.readByte());
    boolean fresh = its.equals(Topology.NONE.gridId());
    if (!fresh && !its.equals(current().gridId())) {
      // It asks those that were the voters of its grid, and are in another by now.
      if (current().charter().available()) {
        meetings.greet(current(), from);
      } else if (current().charter().continues(its)) {
        meetFormer(from);
      }
    } else if (!current().founded()) {
      if (fresh) {
        meetings.fresh(from, seat, mode);
        found(view);
      }
    } else if (mode != current().charter().mode()) {
      // Whether acknowledged writes may be lost is nothing a member may be wrong about.
      if (register.leading()) {
        meetings.greet(current(), from);
      }
    } else if (fresh && succession.empty() && (isVoter(from) || isForsaken(view))) {
      succession.giveUp();
    } else if (current().members().contains(from)) {
      register.tell(from, current());
    } else if (register.leading()) {
      if (current().leaving().containsAll(current().members())) {
        // Should it want to leave too, nobody else will tell it that there is nothing to wait for.
        register.tell(from, current());
      }
      Member other = from.equals(requests.self()) ? null : duplicates.besides(current(), from);
      if (other != null) {
        refusals.refuseSameNode(from, other);
        return false;
      }
      leader.joining(current(), from, fresh, seat, clock.nanoTime());
      return true;
    } else if (fresh && succession.lapsed() && current().charter().used()) {
      refusals.refuseCutOff(current(), from, succession.missingVoters.text());
    }
    return false;
  }

  /** A node shows how far its store has come. */
  void historyCame(Member from, Input in) {
    boolean isWhole = in.readBoolean();
    StoreHistory history = StoreHistory.read(in);
    if (current().members().contains(from)) {
      history.lives().forEach(life -> succession.ages.memberIsAt(from, life));
      return;
    }
    if (!isWhole) {
      // It does not know yet that it was excluded: that an earlier life is missing says nothing.
      return;
    }
    Member other = duplicates.besides(current(), from);
    if (other != null) {
      refusals.refuseSameNode(from, other);
    } else if (!succession.ages.returns(from, history)) {
      boolean isFinal = register.leading() && lease.held() && leader.othersHold(current(), from);
      refusals.refuseOutdated(current(), from, isFinal);
      if (isFinal) {
        leader.discarded(from);
      }
    }
  }

  /** Shows how far this node's store has come: to all while it comes back, else to those next. */
  void showHistory(List<Member> view) {
    StoreHistory history = succession.ages.told();
    if (history.lives().isEmpty()) {
      return;
    }
    boolean isMember = current().members().contains(requests.self());
    if (!isMember) {
      shown = StoreHistory.NONE;
      boolean toAll =
          current().members().stream().allMatch(member -> view.stream().anyMatch(member::sameNode));
      timesShownToAll = toAll ? timesShownToAll + 1 : 0;
      view.forEach(member -> show(member, history, true));
      return;
    }
    if (!shown.equals(history.present())) {
      shown = history.present();
      timesShown = 0;
    }
    if (timesShown < TIMES_SHOWN) {
      timesShown++;
      Membership membership = current().membership();
      (membership.votes(requests.self()) ? membership.members() : membership.voters())
          .forEach(member -> show(member, shown, false));
    }
  }

  /**
   * Whether those who may know that this node's store is an old copy have had time to say so. Where
   * others decide too they would not listen; the only voter has to ask.
   */
  boolean wasLookedAt() {
    boolean decidesAlone = current().membership().voters().size() == 1;
    boolean hasOthers = !current().members().stream().allMatch(requests.self()::sameNode);
    return !decidesAlone
        || !hasOthers
        || timesShownToAll > TIMES_SHOWN
        || clock.nanoTime() - began >= soughtNanos;
  }

  private void show(Member member, StoreHistory history, boolean isWhole) {
    if (!member.equals(requests.self())) {
      Output out = requests.message(Kind.HISTORY);
      out.writeBoolean(isWhole);
      history.write(out);
      requests.post(member, out);
    }
  }

  /** One of the grid this one was before it was recovered, or of an earlier one. */
  private void meetFormer(Member from) {
    if (!refusals.refusesGivenUp(current(), from)) {
      register.tell(from, current());
    }
  }

  private boolean isVoter(Member member) {
    return current().membership().votes(member);
  }

  /**
   * Whether too few of the voters are in sight to decide anything, and that for long. A view is a
   * hint: should the others be there all the same, they lose a vote by it.
   */
  private boolean isForsaken(List<Member> view) {
    return !current().membership().majority(voter -> view.stream().anyMatch(voter::sameNode))
        && succession.forsaken();
  }

  private void found(List<Member> view) {
    List<Member> founders = succession.entering() ? List.of() : meetings.founders(current(), view);
    if (!founders.isEmpty()) {
      Topology first = meetings.found(founders);
      succession.enter(first, () -> succession.begin(first));
    }
  }

  /** Asks those in sight whether they have a grid, or tells them of this one. */
  void meet(List<Member> view) {
    if (!current().founded()) {
      if (succession.wantsIn() && !view.isEmpty()) {
        meetings.ask(view);
        found(view);
      }
    } else if (succession.lapsed()) {
      meetings.lookFor(current());
      if (requests.self().durable()) {
        // Nobody need be a member in the life it had when the grid stopped.
        askIn();
      }
    } else if (register.leading()) {
      meetings.greet(current(), view);
    } else {
      askIn();
    }
  }

  /** Asks the voters to admit this node, if it is to be a member and is none. */
  private void askIn() {
    if (succession.wantsIn() && !current().members().contains(requests.self())) {
      for (Member voter : current().membership().voters()) {
        lives.of(voter).forEach(life -> meetings.askIn(life, current().gridId()));
      }
    }
  }
}
