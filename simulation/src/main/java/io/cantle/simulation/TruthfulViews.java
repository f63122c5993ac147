package io.cantle.simulation;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.List;

/**
 * Every member sees the same views in the same order, each when it pleases; only who has stopped is
 * ever left out.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
final class TruthfulViews implements Views {
  private final Network network;
  private List<Member> view = List.of();

  TruthfulViews(Network network) {
    this.network = network;
  }

  @Override
  public void join(SimulatedTransport link) {
    List<Member> members = new ArrayList<>(view);
    members.add(link.member());
    publish(members);
  }

  @Override
  public void remove(SimulatedTransport link) {
    List<Member> members = new ArrayList<>(view);
    if (members.remove(link.member())) {
      publish(members);
    }
  }

  @Override
  public void crashed(SimulatedTransport link) {
    long notice = network.weather().detectionNanos(network.random());
    network.scheduler().at(notice, null, () -> remove(link));
  }

  @Override
  public void reachChanged() {
    // The truth is not about who hears whom.
  }

  @Override
  public void suspect(SimulatedTransport link) {
    throw new IllegalStateException("truthful views suspect nobody");
  }

  @Override
  public boolean settled() {
    for (SimulatedTransport link : network.links()) {
      if (view.contains(link.member()) && !(link.host().alive() && link.upToDate())) {
        return false;
      }
    }
    return true;
  }

  private void publish(List<Member> members) {
    view = List.copyOf(members);
    network.changed();
    for (SimulatedTransport link : network.links()) {
      if (view.contains(link.member())) {
        link.show(view);
      }
    }
  }
}
