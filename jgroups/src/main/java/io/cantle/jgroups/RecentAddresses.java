package io.cantle.jgroups;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jgroups.Address;

/** A bounded memory of addresses: the newest are kept, in the order in which they were seen. */
final class RecentAddresses {
  private RecentAddresses() {}

  /**
   * Returns {@code old} with {@code seen} as its newest addresses. It holds all of {@code seen} and
   * otherwise at most {@code max} addresses; the oldest are dropped first.
   */
  static Set<Address> add(Set<Address> old, Collection<? extends Address> seen, int max) {
    Set<Address> recent = new LinkedHashSet<>(old);
    recent.removeAll(seen);
    recent.addAll(seen);
    while (recent.size() > Math.max(max, seen.size())) {
      recent.remove(recent.iterator().next());
    }
    return recent;
  }
}
