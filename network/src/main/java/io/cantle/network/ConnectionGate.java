package io.cantle.network;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the accepted connections whose peers have not shown yet that they belong to the grid.
 * There may be so many of one address and so many in all. Beyond that the oldest is closed, so that
 * strangers that open many connections delay nobody but each other.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ConnectionGate {
  /** The most connections of one address. */
  static final int MAX_PER_ADDRESS = 512;

  /** The most connections in all. */
  static final int MAX_IN_ALL = 1_024;

  /** All connections with their addresses, the oldest first. */
  @GuardedBy("this")
  private final LinkedHashMap<Channel, InetAddress> addresses = new LinkedHashMap<>();

  @GuardedBy("this")
  private final Map<InetAddress, LinkedHashSet<Channel>> byAddress = new HashMap<>();

  /** Counts a connection that was accepted just now, until it is opened or closed. */
  void enter(Channel channel, InetAddress address) {
    Channel surplus = add(channel, address);
    if (surplus != null) {
      surplus.close();
    }
    channel.closeFuture().addListener(_ -> leave(channel));
  }

  /** Returns the connection that is one too many; null if there is none. */
  private synchronized @Nullable Channel add(Channel channel, InetAddress address) {
    LinkedHashSet<Channel> sameAddress =
        byAddress.computeIfAbsent(address, _ -> new LinkedHashSet<>());
    sameAddress.add(channel);
    addresses.put(channel, address);
    Channel surplus = null;
    if (sameAddress.size() > MAX_PER_ADDRESS) {
      surplus = sameAddress.getFirst();
    } else if (addresses.size() > MAX_IN_ALL) {
      surplus = addresses.firstEntry().getKey();
    }
    if (surplus != null) {
      leave(surplus);
    }
    return surplus;
  }

  /** Counts a connection no more. */
  synchronized void leave(Channel channel) {
    InetAddress address = addresses.remove(channel);
    if (address != null) {
      byAddress.computeIfPresent(
          address,
          (_, same) -> {
            same.remove(channel);
            return same.isEmpty() ? null : same;
          });
    }
  }

  /** How many connections are counted. */
  synchronized int count() {
    return addresses.size();
  }
}
