package io.cantle.network;

import io.cantle.core.transport.Member;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The members to which this node has connections. A member whose last connection for data is lost
 * without a farewell stays for a moment, in which it is looked for. So a connection that breaks by
 * itself takes nobody out of the view, and a process that has died leaves it at once, because
 * nothing listens there any more.
 *
 * <p>While this node is in a grid, a peer that the layers above do not call a member of it is a
 * newcomer, and may be a stranger. There are only so many of them.
 *
 * <p><b>Threading:</b> {@link #find}, {@link #present}, and what a peer is, by any thread;
 * everything else by the control thread of the transport.
 */
final class PeerTable {
  /** How long a member without a connection stays. */
  static final long RECONNECT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The most members. */
  static final int MAX_PEERS = 1_024;

  /** The most connections of a member: two of each lane, and as many that replace them. */
  private static final int MAX_CONNECTIONS = 8;

  /** The most peers that are no members of the grid; beyond it the oldest is given up. */
  static final int MAX_NEWCOMERS = 64;

  /** The most that waits for a peer that is no member of the grid, before it is given up. */
  static final long MAX_NEWCOMER_PENDING_BYTES = 256 << 10;

  /** How long changes are gathered that concern newcomers alone: strangers may make many. */
  static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long a connection that is not needed is still read. */
  private static final long SURPLUS_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** What changes of the table are reported to, on the control thread. */
  interface PresenceListener {
    /** The members are others than before. */
    void onPresentChanged(List<Member> members);

    /** A member is there. */
    void onUp(PeerLink link);

    /** A member has no connection any more and is to be looked for. */
    void onLost(PeerLink link);
  }

  private final Member self;
  private final long maxPendingBytes;
  private final ControlThread control;
  private final PresenceListener listener;
  private final ConcurrentHashMap<UUID, PeerLink> links = new ConcurrentHashMap<>();
  private volatile List<Member> present;

  /** The members of the grid, as the layers above say. */
  private volatile Set<Member> gridMembers = Set.of();

  /** Whether changes are gathered, to be reported together. */
  private boolean gathering;

  /** Peers that are no members, the oldest first. */
  private final LinkedHashSet<Member> newcomers = new LinkedHashSet<>();

  /** Creates a table that has only this node. */
  PeerTable(Member self, long maxPendingBytes, ControlThread control, PresenceListener listener) {
    this.self = self;
    this.maxPendingBytes = maxPendingBytes;
    this.control = control;
    this.listener = listener;
    this.present = List.of(self);
  }

  /** The link to a member; null if there is none. */
  @Nullable PeerLink find(Member member) {
    return links.get(member.id());
  }

  /** This node and those it has links to, by their ids: in the same order at every node. */
  List<Member> present() {
    return present;
  }

  /** All links, also of members that are being looked for. */
  List<PeerLink> links() {
    return List.copyOf(links.values());
  }

  /** Whether a peer is a member of the grid; by any thread. */
  boolean isMember(Member peer) {
    return gridMembers.contains(peer);
  }

  /** Whether this node is in a grid, as the layers above say; by any thread. */
  boolean isInGrid() {
    return !gridMembers.isEmpty();
  }

  /**
   * Whether a peer may be a stranger: this node is in a grid of which it is no member. By any
   * thread.
   */
  boolean isNewcomer(Member peer) {
    return isInGrid() && !isMember(peer);
  }

  /** Takes the members of the grid. */
  void setMembers(Collection<Member> members) {
    gridMembers = Set.copyOf(members);
    newcomers.removeAll(gridMembers);
    for (PeerLink link : links.values()) {
      if (isNewcomer(link.member())) {
        newcomers.add(link.member());
      }
    }
    limitNewcomers();
  }

  private void limitNewcomers() {
    while (newcomers.size() > MAX_NEWCOMERS) {
      PeerLink oldest = links.get(newcomers.getFirst().id());
      if (oldest == null) {
        newcomers.removeFirst();
      } else {
        giveUp(oldest);
      }
    }
  }

  /** Takes an open connection. */
  void onOpened(PeerConnection connection) {
    Member member = connection.member();
    PeerLink link = links.get(member.id());
    if (member.equals(self)
        || (link == null ? links.size() >= MAX_PEERS : isFull(link))
        || !connection.isOpen()) {
      connection.close();
      return;
    }
    if (link == null) {
      link = new PeerLink(self, member, connection.listening(), () -> maxPendingBytesOf(member));
      links.put(member.id(), link);
      if (isNewcomer(member)) {
        newcomers.add(member);
        limitNewcomers();
      }
    }
    boolean wasUp = link.isUp();
    link.add(connection);
    if (!wasUp && link.isUp()) {
      report(member);
      listener.onUp(link);
    }
    List<PeerConnection> surplus = link.surplus();
    if (!surplus.isEmpty()) {
      // What was sent on it may still be under way.
      PeerLink current = link;
      control.schedule(SURPLUS_NANOS, () -> closeSurplus(current, surplus));
    }
  }

  /** Closes connections that were not needed, but those that have replaced a lost one since. */
  private static void closeSurplus(PeerLink link, List<PeerConnection> before) {
    before.stream().filter(link.surplus()::contains).forEach(PeerConnection::close);
  }

  private long maxPendingBytesOf(Member member) {
    return isNewcomer(member)
        ? Math.min(maxPendingBytes, MAX_NEWCOMER_PENDING_BYTES)
        : maxPendingBytes;
  }

  private static boolean isFull(PeerLink link) {
    return link.connections().size() >= MAX_CONNECTIONS;
  }

  /** A connection is closed. */
  void onClosed(PeerConnection connection) {
    PeerLink link = links.get(connection.member().id());
    if (link == null) {
      return;
    }
    boolean wasUp = link.isUp();
    link.remove(connection);
    if (link.isUp()) {
      return;
    }
    if (!link.hasBeenUp()) {
      removeIfDown(link);
    } else if (wasUp) {
      int loss = link.onLost();
      // First, since looking for the member may show at once that it is gone.
      control.schedule(RECONNECT_NANOS, () -> removeIfLostSince(link, loss));
      listener.onLost(link);
    }
  }

  /** Gives up a member that has not been back since a loss: each loss has its own time. */
  private void removeIfLostSince(PeerLink link, int loss) {
    if (link.lossCount() == loss) {
      removeIfDown(link);
    }
  }

  /** A member leaves. */
  void onFarewell(PeerConnection connection) {
    PeerLink link = links.get(connection.member().id());
    if (link != null) {
      giveUp(link);
    }
  }

  /** Nothing listens at an address. */
  void onNobodyAt(InetSocketAddress address) {
    links.values().stream()
        .filter(link -> link.listening().equals(address))
        .toList()
        .forEach(this::removeIfDown);
  }

  @SuppressWarnings("ReferenceEquality") // Another link to the same member may have followed.
  private void removeIfDown(PeerLink link) {
    if (!link.isUp() && links.get(link.member().id()) == link) {
      giveUp(link);
    }
  }

  private void giveUp(PeerLink link) {
    links.remove(link.member().id());
    newcomers.remove(link.member());
    report(link.member());
    link.connections().forEach(PeerConnection::close);
  }

  /** Reports that a peer has come or gone: at once, or together with others. */
  private void report(Member changed) {
    if (!isNewcomer(changed)) {
      report();
    } else if (!gathering && report()) {
      gather();
    }
  }

  private void gather() {
    gathering = true;
    control.schedule(
        GATHER_NANOS,
        () -> {
          gathering = false;
          if (report()) {
            gather();
          }
        });
  }

  /** Reports the present members unless they are those reported last; returns whether it has. */
  private boolean report() {
    List<Member> now =
        Stream.concat(
                Stream.of(self),
                links.values().stream().filter(PeerLink::hasBeenUp).map(PeerLink::member))
            .sorted()
            .toList();
    if (now.equals(present)) {
      return false;
    }
    present = now;
    listener.onPresentChanged(now);
    return true;
  }
}
