package io.cantle.jgroups;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jgroups.Address;

/**
 * The addresses seen last, at most {@link #MAX_ADDRESSES}. The oldest are dropped first; none of
 * the addresses that were added together last is ever dropped.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecentAddresses {
  static final int MAX_ADDRESSES = 1_024;

  /** The newest last; a new set for each change, so that readers need no lock. */
  private volatile Set<Address> addresses = Set.of();

  /** Adds addresses as the newest. */
  synchronized void add(Collection<? extends Address> seen) {
    LinkedHashSet<Address> recent = new LinkedHashSet<>(addresses);
    recent.removeAll(seen);
    recent.addAll(seen);
    while (recent.size() > Math.max(MAX_ADDRESSES, seen.size())) {
      recent.removeFirst();
    }
    addresses = recent;
  }

  boolean contains(Address address) {
    return addresses.contains(address);
  }
}
