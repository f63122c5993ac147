package io.cantle.simulation;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;

/**
 * Membership views that are true. Every member sees the same views in the same order, each after
 * its own delay. Only a node that has stopped is ever left out.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class ReliableViews implements MembershipViews {
  private final SimulatedNetwork network;
  private List<Member> view = List.of();

  ReliableViews(SimulatedNetwork network) {
    this.network = network;
  }

  @Override
  public void onJoin(SimulatedTransport link) {
    List<Member> members = new ArrayList<>(view);
    members.add(link.member());
    publish(members);
  }

  @Override
  public void onRemove(SimulatedTransport link) {
    List<Member> members = new ArrayList<>(view);
    if (members.remove(link.member())) {
      publish(members);
    }
  }

  @Override
  public void onCrash(SimulatedTransport link) {
    long notice = network.conditions().drawDetectionNanos(network.random());
    network.scheduler().schedule(notice, null, () -> onRemove(link));
  }

  @Override
  public void onReachChange() {
    // Reliable views do not depend on who hears whom.
  }

  @Override
  public void injectSuspicion(SimulatedTransport link) {
    throw new IllegalStateException("reliable views cannot suspect a member");
  }

  @Override
  public boolean isSettled() {
    for (SimulatedTransport link : network.links()) {
      if (view.contains(link.member()) && !(link.host().isAlive() && link.isUpToDate())) {
        return false;
      }
    }
    return true;
  }

  private void publish(List<Member> members) {
    view = List.copyOf(members);
    network.recordChange();
    for (SimulatedTransport link : network.links()) {
      if (view.contains(link.member())) {
        link.showView(view);
      }
    }
  }
}
