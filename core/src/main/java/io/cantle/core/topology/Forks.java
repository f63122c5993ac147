package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How members that are cut off from the majority of their grid go on, if it is one that is to stay
 * available. They tell each other that they are cut off; the first of those that hear each other
 * founds a <em>fork</em>, a grid of its own that begins with the copies they have. Each segment
 * begins it in a new epoch, with those of its owners that take part, or empty when there is none.
 *
 * <p>Nobody is drawn into a fork against its will: who has heard of the majority meanwhile stays.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Forks {
  /** How long others have to say that they are cut off as well. */
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long that counts. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final System.Logger LOG = System.getLogger(Forks.class.getName());

  private final Requests requests;
  private final World world;
  private final Register register;
  private final Meetings meetings;
  private final Map<Member, Long> cutOff = new HashMap<>();
  private long since;
  private boolean began;

  Forks(Requests requests, World world, Register register, Meetings meetings) {
    this.requests = requests;
    this.world = world;
    this.register = register;
    this.meetings = meetings;
  }

  /** This node hears of its majority, or is in another grid. */
  void forget() {
    began = false;
    cutOff.clear();
  }

  /** A member of some grid says that it is cut off. Only one of this topology goes on with this. */
  void cutCame(Topology current, Member from, Input in) {
    UUID its = in.readId();
    long number = in.readLong();
    if (!current.founded() || !current.charter().available()) {
      return;
    }
    if (!its.equals(current.gridId())) {
      if (current.members().contains(from)) {
        register.tell(from, current);
      } else {
        meetings.greet(current, from);
      }
    } else if (number < current.number()) {
      register.tell(from, current);
    } else if (number == current.number() && current.members().contains(from)) {
      cutOff.put(from, world.clock().nanoTime());
    }
  }

  /**
   * Goes on without the majority, if this node is cut off from it and the grid is one whose members
   * do: it tells the others. Returns the first topology of the fork it is to found now, or null.
   */
  @Nullable Topology go(Topology current, boolean isCutOff) {
    if (!isCutOff
        || !current.charter().available()
        || !current.members().contains(requests.self())) {
      forget();
      return null;
    }
    List<Member> group = group(current);
    if (group.isEmpty() || !group.getFirst().equals(requests.self())) {
      return null;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} is cut off from the majority of its grid and goes on with {1}, to be merged when"
            + " they meet again",
        requests.self(),
        group);
    UUID id = new UUID(world.random().nextLong(), world.random().nextLong());
    return ForkPlanner.first(current, group, id);
  }

  /** Tells the others, and hears from them, until it is time: then those that are cut off. */
  private List<Member> group(Topology current) {
    long now = world.clock().nanoTime();
    if (!began) {
      began = true;
      since = now;
    }
    for (Member member : current.members()) {
      if (!member.equals(requests.self())) {
        tell(member, current);
      }
    }
    if (now - since < SETTLE_NANOS) {
      return List.of();
    }
    cutOff.values().removeIf(said -> now - said > FRESH_NANOS);
    return current.members().stream()
        .filter(member -> member.equals(requests.self()) || cutOff.containsKey(member))
        .toList();
  }

  private void tell(Member member, Topology current) {
    Output out = requests.message(Kind.CUT);
    out.writeId(current.gridId());
    out.writeLong(current.number());
    requests.post(member, out);
  }
}
