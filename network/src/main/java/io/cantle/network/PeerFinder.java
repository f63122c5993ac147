package io.cantle.network;

import io.cantle.core.transport.Member;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Comparator;
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

  /** How long it looks where peers that are no members have said. They repeat it. */
  private static final long FORGET_NEWCOMERS_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The most places. */
  private static final int MAX_PLACES = AddressList.MAX_ADDRESSES;

  /**
   * The most places of which only peers have told that are no members, once this node is in a grid.
   * They may be strangers, and must not take the room of places that members tell of.
   */
  static final int MAX_PLACES_OF_NEWCOMERS = 64;

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

    /** Whether a member has told of it, or was there. */
    boolean ofMember;

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
    boolean byMember = table.isMember(by);
    int room = room(byMember);
    for (InetSocketAddress address : told.addresses()) {
      if (add(address, byMember, room > 0)) {
        room--;
      }
    }
    check();
  }

  /** How many more places there may be. */
  private int room(boolean ofMembers) {
    int room = MAX_PLACES - places.size();
    if (ofMembers || !table.isInGrid()) {
      return room;
    }
    long ofNewcomers =
        places.values().stream().filter(place -> !place.configured && !place.ofMember).count();
    return Math.min(room, MAX_PLACES_OF_NEWCOMERS - (int) ofNewcomers);
  }

  /** Looks for a member whose connection was lost. */
  void onLost(InetSocketAddress address) {
    boolean wasMember =
        table.links().stream()
            .anyMatch(link -> table.isMember(link.member()) && link.listening().equals(address));
    var _ = add(address, wasMember, room(wasMember) > 0);
    Place place = places.get(address);
    if (place != null) {
      place.waitNanos = MIN_WAIT_NANOS;
      place.dueNanos = nanoTime.getAsLong();
      check();
    }
  }

  /** Adds a place if there is room, or notes that it was told of again; returns if it is new. */
  private boolean add(InetSocketAddress address, boolean ofMember, boolean hasRoom) {
    long now = nanoTime.getAsLong();
    Place known = places.get(address);
    if (known != null) {
      if (ofMember || !known.ofMember) {
        known.lastWantedNanos = now;
      }
      known.ofMember |= ofMember;
      return false;
    }
    if (!hasRoom || !mayDial(address)) {
      return false;
    }
    Place place = new Place(address, false, now);
    place.ofMember = ofMember;
    places.put(address, place);
    return true;
  }

  /** Whether it may look where a peer has said: elsewhere a peer could make it knock anywhere. */
  private boolean mayDial(InetSocketAddress address) {
    return mayBeTold.test(address) && !address.equals(own);
  }

  /**
   * What to tell a peer: where members listen that this node has links to. A peer that is no member
   * is also told of others that are none, since nodes that join at once must find each other.
   */
  AddressList known(Member peer) {
    boolean all = !table.isInGrid() || !table.isMember(peer);
    return new AddressList(
        table.links().stream()
            .filter(link -> link.isUp() && (all || table.isMember(link.member())))
            .sorted(Comparator.comparing(link -> !table.isMember(link.member())))
            .limit(AddressList.MAX_ADDRESSES)
            .map(PeerLink::listening)
            .toList());
  }

  // ------------------------------------------------------------------ looking

  /** Looks where it is time to. */
  void check() {
    long now = nanoTime.getAsLong();
    places
        .values()
        .removeIf(
            place ->
                !place.configured
                    && !place.dialing
                    && now - place.lastWantedNanos
                        > (place.ofMember ? FORGET_NANOS : FORGET_NEWCOMERS_NANOS));
    for (Place place : List.copyOf(places.values())) {
      if (!place.dialing && now - place.dueNanos >= 0 && !isLinked(place)) {
        dial(place, Lane.DATA);
      }
    }
    for (PeerLink link : table.links()) {
      if (link.isDialed() && link.lacks(Lane.URGENT) && mayDial(link.listening())) {
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
    Runnable report = whenLooked;
    if (report == null) {
      return;
    }
    updateProblems();
    if (places.values().stream().allMatch(place -> place.looked || isLinked(place))
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
