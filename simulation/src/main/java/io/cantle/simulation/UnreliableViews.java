package io.cantle.simulation;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Membership views that are only hints, as those of a real group membership are once the network is
 * cut. Each member has a view of its own. A node it does not hear leaves that view after some
 * seconds, and sometimes also leaves the views of members that do hear it. After a heal, the views
 * are unified one after the other, and any member may then stand first. Now and then a view is in
 * an order that no other member sees.
 *
 * <p>When nothing changes any more, all members arrive at the same view.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class UnreliableViews implements MembershipViews {
  private static final int OWN_ORDER_ONE_IN = 6;
  private static final int BELIEVED_ONE_IN = 3;
  private static final int SHUFFLED_ONE_IN = 2;

  private final SimulatedNetwork network;
  private final SplittableRandom random;

  /** The present members, in the order on which all views agree in the end. */
  private final List<SimulatedTransport> rank = new ArrayList<>();

  private final IdentityHashMap<SimulatedTransport, List<SimulatedTransport>> shown =
      new IdentityHashMap<>();

  /** Each member's former fellows, to detect which have returned. */
  private final IdentityHashMap<SimulatedTransport, Set<Member>> unheardLinks =
      new IdentityHashMap<>();

  UnreliableViews(SimulatedNetwork network, SplittableRandom random) {
    this.network = network;
    this.random = random;
  }

  @Override
  public void onJoin(SimulatedTransport link) {
    rank.add(link);
    network.recordChange();
    reconsider(link);
    reconsiderAll(network.conditions()::drawViewNanos);
  }

  @Override
  public void onRemove(SimulatedTransport link) {
    if (rank.remove(link)) {
      network.recordChange();
      reconsiderAll(network.conditions()::drawViewNanos);
    }
  }

  @Override
  public void onCrash(SimulatedTransport link) {
    long notice = network.conditions().drawDetectionNanos(random);
    network.scheduler().schedule(notice, null, () -> onRemove(link));
  }

  @Override
  public void onReachChange() {
    network.recordChange();
    if (random.nextInt(SHUFFLED_ONE_IN) == 0) {
      shuffle(rank);
    }
    reconsiderAll(network.conditions()::drawNoticeNanos);
  }

  @Override
  public void injectSuspicion(SimulatedTransport link) {
    network.recordChange();
    for (SimulatedTransport witness : List.copyOf(rank)) {
      if (witness != link && random.nextBoolean()) {
        dropFromView(witness, link);
      }
    }
  }

  @Override
  public boolean isSettled() {
    for (SimulatedTransport link : rank) {
      if (!link.host().isAlive() || !rank.equals(shown.get(link)) || !link.isUpToDate()) {
        return false;
      }
    }
    return true;
  }

  /** How long something takes. */
  private interface DelayDistribution {
    long draw(SplittableRandom random);
  }

  private void reconsiderAll(DelayDistribution delay) {
    for (SimulatedTransport link : rank) {
      scheduleReconsider(link, delay.draw(random));
    }
  }

  private void scheduleReconsider(SimulatedTransport link, long nanos) {
    network.scheduler().schedule(nanos, link.host(), () -> reconsider(link));
  }

  /** Gives a member the view that follows from which members it hears now. */
  private void reconsider(SimulatedTransport link) {
    if (!rank.contains(link)) {
      return;
    }
    List<SimulatedTransport> view = new ArrayList<>();
    for (SimulatedTransport other : rank) {
      if (other == link || hears(link, other)) {
        view.add(other);
      }
    }
    if (network.isDisturbed() && random.nextInt(OWN_ORDER_ONE_IN) == 0) {
      shuffle(view);
      scheduleReconsider(link, network.conditions().drawNoticeNanos(random));
    }
    List<SimulatedTransport> before = shown.getOrDefault(link, List.of());
    show(link, view);
    for (SimulatedTransport other : before) {
      if (!view.contains(other) && rank.contains(other) && random.nextInt(BELIEVED_ONE_IN) == 0) {
        for (SimulatedTransport fellow : view) {
          if (fellow != link && random.nextBoolean()) {
            dropFromView(fellow, other);
          }
        }
      }
    }
  }

  private boolean hears(SimulatedTransport link, SimulatedTransport other) {
    return other.host().isAlive()
        && other.host().pausedNanos() <= 0
        && !network.isCut(other.nodeIndex(), link.nodeIndex());
  }

  /** Makes a member drop another from its view, and find out later whether it is still there. */
  private void dropFromView(SimulatedTransport link, SimulatedTransport other) {
    List<SimulatedTransport> view = new ArrayList<>(shown.getOrDefault(link, List.of()));
    if (view.remove(other)) {
      if (other.host().isAlive() && hears(link, other)) {
        network.log().record(EventKind.SUSPICION, link.host(), other.nodeIndex(), other::toString);
      }
      show(link, view);
      scheduleReconsider(link, network.conditions().drawNoticeNanos(random));
    }
  }

  private void show(SimulatedTransport link, List<SimulatedTransport> view) {
    List<SimulatedTransport> before = shown.getOrDefault(link, List.of());
    if (view.equals(before)) {
      return;
    }
    Set<Member> missing = unheardLinks.computeIfAbsent(link, one -> new HashSet<>());
    for (SimulatedTransport other : before) {
      if (!view.contains(other)) {
        missing.add(other.member());
      }
    }
    for (SimulatedTransport other : view) {
      if (missing.remove(other.member())) {
        network.log().record(EventKind.BACK, link.host(), other.nodeIndex(), other::toString);
      }
    }
    shown.put(link, List.copyOf(view));
    link.showView(view.stream().map(SimulatedTransport::member).toList());
  }

  private void shuffle(List<SimulatedTransport> links) {
    for (int i = links.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      SimulatedTransport moved = links.get(i);
      links.set(i, links.get(other));
      links.set(other, moved);
    }
  }
}
