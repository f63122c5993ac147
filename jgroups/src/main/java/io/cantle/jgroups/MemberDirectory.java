package io.cantle.jgroups;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Address;
import org.jspecify.annotations.Nullable;

/**
 * Maps JGroups addresses to members and back. A member is known as soon as one of its messages
 * arrives, which may be before the view that contains it. A member that has left has no address
 * here, because JGroups would look for the node and try to connect.
 *
 * <p><b>Threading:</b> any thread.
 */
final class MemberDirectory {
  private static final int MAX_NEWCOMERS = 1_024;

  private volatile Map<Address, Member> present = Map.of();
  private volatile Map<UUID, Address> addresses = Map.of();

  /** Members that have sent messages to this node before it saw them in a view. */
  private final Map<Address, Member> newcomers = new ConcurrentHashMap<>();

  /** Those of the present view, and of earlier ones. */
  private final RecentAddresses seen = new RecentAddresses();

  /**
   * Installs a view, and returns those of its members that had left and are back with the same id.
   */
  synchronized List<Member> install(List<Address> view) {
    Map<Address, Member> nextPresent = new HashMap<>();
    Map<UUID, Address> nextAddresses = new HashMap<>();
    List<Member> returned = new ArrayList<>();
    for (Address address : view) {
      Member member = MemberAddress.memberOf(address);
      nextPresent.put(address, member);
      nextAddresses.put(member.id(), address);
      if (seen.contains(address) && !present.containsKey(address)) {
        returned.add(member);
      }
    }
    seen.add(view);
    present = nextPresent;
    addresses = nextAddresses;
    newcomers.keySet().removeAll(nextPresent.keySet());
    return returned;
  }

  /** Returns the members of these addresses, in their order. */
  static List<Member> members(List<Address> addresses) {
    return addresses.stream().map(MemberAddress::memberOf).toList();
  }

  /** Returns the sender of a message. */
  Member memberOf(Address address) {
    Member known = present.get(address);
    if (known == null) {
      known = newcomers.get(address);
    }
    return known == null ? addNewcomer(address) : known;
  }

  private synchronized Member addNewcomer(Address address) {
    Member member = MemberAddress.memberOf(address);
    if (!seen.contains(address) && newcomers.size() < MAX_NEWCOMERS) {
      newcomers.put(address, member);
    }
    return member;
  }

  /** Returns the address of a member; null if it has left or was never heard of. */
  @Nullable Address addressOf(Member member) {
    Address address = addresses.get(member.id());
    if (address != null || newcomers.isEmpty()) {
      return address;
    }
    Address made = MemberAddress.of(member);
    return newcomers.containsKey(made) ? made : null;
  }
}
