package io.cantle.jgroups;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.TCPPING;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.Responses;

/**
 * A TCPPING that waits only for the answers of nodes that listen at the seeds. A node listens
 * before it looks for others. So if two nodes start at once, at least one of them finds the other.
 * A node that nothing could have answered starts its grid without waiting. A node that still
 * expects an answer does not start a second grid, however slow the other node or the machine is.
 *
 * <p>Only answers count. JGroups also takes a question for an answer, from a node that looks for a
 * group. But nodes that are in a group ask as well, to find other parts of it.
 *
 * <p>A node in a group whose coordinator has just left or died says that it is not the coordinator.
 * JGroups would take it for a node that looks for a group as well, so the first of several starting
 * nodes would create a second group. If no other node is found, such a node is therefore asked for
 * admission. It does not answer until it is the coordinator, and the search starts again.
 *
 * <p><b>Threading:</b> any thread.
 */
final class SeedDiscovery extends TCPPING {
  private static final int RECHECK_MILLIS = 20;

  /**
   * A node that listens but does not answer may not have been ready for the question, so it is
   * asked again.
   */
  private static final int RECHECKS_PER_QUESTION = 10;

  private final BackpressureTcp tcp;
  private final long joinTimeoutMillis;
  private final List<IpAddress> seeds;
  private final Set<PhysicalAddress> answered = ConcurrentHashMap.newKeySet();

  SeedDiscovery(JGroupsSettings settings, BackpressureTcp tcp) {
    this.tcp = tcp;
    this.joinTimeoutMillis = settings.joinTimeout().toMillis();
    List<InetSocketAddress> places = seeds(settings);
    seeds = places.stream().map(IpAddress::new).toList();
    setId(ClassConfigurator.getProtocolId(TCPPING.class));
    setInitialHosts(places);
    setPortRange(0);
  }

  /** The addresses to search; without any hosts, TCPPING would use a list of its own. */
  static List<InetSocketAddress> seeds(JGroupsSettings settings) {
    if (!settings.seeds().isEmpty()) {
      return settings.seeds();
    }
    return IntStream.rangeClosed(settings.port(), settings.port() + settings.portRange())
        .mapToObj(port -> new InetSocketAddress(settings.bindAddress(), port))
        .toList();
  }

  /** An address for people to read, as {@code host:port}. */
  static String text(InetSocketAddress address) {
    String shown = address.toString();
    return shown.substring(shown.indexOf('/') + 1);
  }

  /** The seeds that have not answered, each with the reason; this node's own address is none. */
  List<String> describeSilentSeeds() {
    return silentSeeds().map(seed -> text(seed) + ": " + describeSilence(seed)).toList();
  }

  /** The seeds that have not answered although something listens there. */
  List<String> silentListeners() {
    return silentSeeds().filter(tcp::hasReached).map(SeedDiscovery::text).toList();
  }

  private Stream<IpAddress> silentSeeds() {
    return seeds.stream()
        .filter(seed -> !answered.contains(seed) && !seed.equals(tcp.listeningAddress()));
  }

  private static String text(IpAddress address) {
    return text(new InetSocketAddress(address.getIpAddress(), address.getPort()));
  }

  private String describeSilence(IpAddress seed) {
    String failure = tcp.connectFailure(seed);
    return tcp.hasReached(seed)
        ? "it listens, but no node of this grid has answered there within %,d ms"
            .formatted(joinTimeoutMillis)
        : failure == null ? "it could not be connected to" : failure;
  }

  @Override
  public void findMembers(List<Address> members, boolean initial, Responses responses) {
    if (initial) {
      answered.clear();
    }
    super.findMembers(members, initial, responses);
    if (initial) {
      endWhenAllAnswered(responses, 1);
    }
  }

  @Override
  protected void handleDiscoveryResponse(PingData data, Address sender) {
    super.handleDiscoveryResponse(data, sender);
    // Only now are its contents among the responses.
    if (data != null && data.getPhysicalAddr() != null) {
      answered.add(data.getPhysicalAddr());
    }
  }

  private void endWhenAllAnswered(Responses responses, int checks) {
    if (responses.isDone()) {
      return;
    }
    Set<PhysicalAddress> silent = new HashSet<>(seeds);
    silent.removeIf(seed -> !tcp.hasReached(seed) || answered.contains(seed));
    List<PingData> heard = new ArrayList<>();
    responses.forEach(heard::add);
    if (heard.stream().noneMatch(PingData::isCoord)) {
      heard.stream().filter(PingData::isServer).forEach(response -> response.coord(true));
    }
    if (silent.isEmpty()) {
      responses.done();
      return;
    }
    if (checks % RECHECKS_PER_QUESTION == 0
        || silent.stream().anyMatch(seed -> !tcp.isConnectedTo(seed))) {
      super.findMembers(List.of(), true, responses);
    }
    Future<?> _ =
        timer.schedule(
            () -> endWhenAllAnswered(responses, checks + 1),
            RECHECK_MILLIS,
            TimeUnit.MILLISECONDS,
            false);
  }
}
