package io.cantle.network;

import io.cantle.core.transport.Member;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks for other nodes: where the settings say, where members listen that were there before, and
 * where peers say that others listen. It goes on until it has a connection to each of them. So a
 * grid whose nodes were told different things still becomes one in which all are connected.
 *
 * <p>A node listens before it looks. So of two nodes that start at once, one finds the other.
 *
 * <p><b>Threading:</b> the control thread of the transport; {@link #problems} by any thread.
 */
final class PeerFinder {
  /** How often it is checked where to look next. */
  static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long it waits before it looks again where it found nobody: at first, and at most. */
  private static final long MIN_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How long it looks for a node that it was told of, or that was there. */
  private static final long FORGET_NANOS = TimeUnit.HOURS.toNanos(1);

  /** The most places that it was told of. */
  private static final int MAX_TOLD = AddressList.MAX_ADDRESSES;

  /** Opens connections. */
  interface Dialer {
    /**
     * Opens a connection. The answer comes on the control thread. An open connection is also passed
     * to the {@link PeerTable}, before the answer.
     */
    void dial(InetSocketAddress address, Lane lane, Answer answer);
  }

  /** What has become of an attempt. */
  interface Answer {
    /** There is a node of this grid. */
    void onFound(Member member);

    /**
     * There is none.
     *
     * @param why what an operator may read
     * @param nobodyListens whether the host says that nothing listens there
     */
    void onFailed(String why, boolean nobodyListens);
  }

  private final Member self;
  private final PeerTable table;
  private final Dialer dialer;
  private final LongSupplier nanoTime;
  private final Predicate<InetSocketAddress> mayBeTold;
  private final Map<InetSocketAddress, Place> places = new LinkedHashMap<>();
  private final Map<InetSocketAddress, Place> urgentPlaces = new HashMap<>();
  private @Nullable Runnable whenLooked;
  private @Nullable InetSocketAddress own;
  private volatile List<String> problems = List.of();

  /**
   * Creates a finder that looks for nobody.
   *
   * @param mayBeTold whether a place may be looked at because a peer has told of it
   */
  PeerFinder(
      Member self,
      PeerTable table,
      Dialer dialer,
      LongSupplier nanoTime,
      Predicate<InetSocketAddress> mayBeTold) {
    this.self = self;
    this.table = table;
    this.dialer = dialer;
    this.nanoTime = nanoTime;
    this.mayBeTold = mayBeTold;
  }

  /** A place where a node may listen. */
  private static final class Place {
    final InetSocketAddress address;
    final boolean configured;
    long dueNanos;
    long waitNanos = MIN_WAIT_NANOS;
    long lastWantedNanos;
    boolean dialing;
    boolean looked;
    @Nullable Member found;
    String problem = "what listens there has not answered";

    Place(InetSocketAddress address, boolean configured, long now) {
      this.address = address;
      this.configured = configured;
      this.dueNanos = now;
      this.lastWantedNanos = now;
    }
  }

  // ------------------------------------------------------------------ where to look

  /**
   * Looks where the settings say.
   *
   * @param own where this node listens
   * @param onceLooked runs when each place was looked at, and each that was told of by the members
   *     that were found
   */
  void start(Collection<InetSocketAddress> configured, InetSocketAddress own, Runnable onceLooked) {
    this.own = own;
    whenLooked = onceLooked;
    for (InetSocketAddress address : configured) {
      places.putIfAbsent(address, new Place(address, true, nanoTime.getAsLong()));
    }
    check();
  }

  /** Takes what a peer says. */
  void onTold(Member by, AddressList told) {
    PeerLink link = table.find(by);
    if (link != null) {
      link.onTold();
    }
    told.addresses().forEach(this::add);
    check();
  }

  /** Looks for a member whose connection was lost. */
  void onLost(InetSocketAddress address) {
    add(address);
    Place place = places.get(address);
    if (place != null) {
      place.waitNanos = MIN_WAIT_NANOS;
      place.dueNanos = nanoTime.getAsLong();
      check();
    }
  }

  private void add(InetSocketAddress address) {
    long now = nanoTime.getAsLong();
    Place known = places.get(address);
    if (known != null) {
      known.lastWantedNanos = now;
    } else if (mayBeTold.test(address) && !address.equals(own) && places.size() < MAX_TOLD) {
      places.put(address, new Place(address, false, now));
    }
  }

  /** Where members listen that this node has links to. */
  AddressList known() {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (PeerLink link : table.links()) {
      if (link.isUp() && addresses.size() < AddressList.MAX_ADDRESSES) {
        addresses.add(link.listening());
      }
    }
    return new AddressList(addresses);
  }

  // ------------------------------------------------------------------ looking

  /** Looks where it is time to. */
  void check() {
    long now = nanoTime.getAsLong();
    places
        .values()
        .removeIf(
            place ->
                !place.configured && !place.dialing && now - place.lastWantedNanos > FORGET_NANOS);
    for (Place place : List.copyOf(places.values())) {
      if (!place.dialing && now - place.dueNanos >= 0 && !isLinked(place)) {
        dial(place, Lane.DATA);
      }
    }
    for (PeerLink link : table.links()) {
      if (link.isDialed() && link.lacks(Lane.URGENT)) {
        dialUrgent(link, now);
      }
    }
    reportLooked();
  }

  private void dialUrgent(PeerLink link, long now) {
    Place place =
        urgentPlaces.computeIfAbsent(link.listening(), address -> new Place(address, false, now));
    if (!place.dialing && now - place.dueNanos >= 0) {
      dial(place, Lane.URGENT);
    }
  }

  private boolean isLinked(Place place) {
    Member found = place.found;
    if (found == null) {
      return table.links().stream()
          .anyMatch(link -> link.isUp() && link.listening().equals(place.address));
    }
    PeerLink link = table.find(found);
    return found.equals(self) || (link != null && link.isUp());
  }

  private void dial(Place place, Lane lane) {
    place.dialing = true;
    dialer.dial(
        place.address,
        lane,
        new Answer() {
          @Override
          public void onFound(Member member) {
            place.found = member;
            place.problem = "";
            end(MIN_WAIT_NANOS);
          }

          @Override
          public void onFailed(String why, boolean nobodyListens) {
            place.found = null;
            place.problem = why;
            if (nobodyListens) {
              table.onNobodyAt(place.address);
            }
            end(Math.min(MAX_WAIT_NANOS, 2 * place.waitNanos));
          }

          private void end(long nextWaitNanos) {
            place.dialing = false;
            place.looked = true;
            place.dueNanos = nanoTime.getAsLong() + place.waitNanos;
            place.waitNanos = nextWaitNanos;
            if (lane == Lane.URGENT) {
              urgentPlaces.remove(place.address);
            }
            reportLooked();
          }
        });
  }

  private void reportLooked() {
    if (whenLooked != null) {
      updateProblems();
    }
    Runnable report = whenLooked;
    if (report != null
        && places.values().stream().allMatch(place -> place.looked || isLinked(place))
        && table.links().stream().allMatch(PeerLink::hasTold)) {
      whenLooked = null;
      report.run();
    }
  }

  /** The places of the settings where no node of the grid was found, each with the reason. */
  List<String> problems() {
    return problems;
  }

  private void updateProblems() {
    problems =
        places.values().stream()
            .filter(place -> place.configured && place.found == null && !isLinked(place))
            .map(place -> NettyTransport.text(place.address) + ": " + place.problem)
            .toList();
  }
}
