package io.cantle.core.transport;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which versions of the messages this node and its peers speak. Two nodes use the highest version
 * that both speak; a node that is not known yet is written to in the lowest. Nodes need not ask
 * each other: the first byte of every message says its version, and whether its sender speaks the
 * next version too.
 *
 * <p><b>Threading:</b> any thread.
 */
final class PeerVersions {
  /** The version of the build before this one, or of this one if there was none. */
  static final int LOWEST = 8;

  /** The version of this build. */
  static final int HIGHEST = 8;

  /** Added to the first byte of a message if its sender speaks the next version too. */
  private static final int NEXT_FLAG = 0x40;

  private static final int VERSION_BITS = NEXT_FLAG - 1;

  /** Nothing is remembered of more peers; they are written to in the lowest version. */
  private static final int MAX_PEERS = 10_000;

  private final int lowest;
  private final int highest;
  private final ConcurrentHashMap<Member, Integer> versions = new ConcurrentHashMap<>();

  PeerVersions(int lowest, int highest) {
    this.lowest = lowest;
    this.highest = highest;
  }

  /** The first byte of a message in this version. */
  int firstByte(int version) {
    return version < highest ? version | NEXT_FLAG : version;
  }

  /** The version of a message that begins with this byte. */
  static int versionOf(int firstByte) {
    return firstByte & VERSION_BITS;
  }

  private static int highestOf(int firstByte) {
    return versionOf(firstByte) + ((firstByte & NEXT_FLAG) == 0 ? 0 : 1);
  }

  /** Learns what a peer speaks from the first byte of its message. */
  void onHeard(Member peer, int firstByte) {
    int common = Math.min(highestOf(firstByte), highest);
    if (common > lowest && common > versionFor(peer) && versions.size() < MAX_PEERS) {
      versions.put(peer, common);
    }
  }

  /** Forgets all other peers. */
  void retain(Collection<Member> peers) {
    versions.keySet().retainAll(peers);
  }

  /** The version to write to a peer in. */
  int versionFor(Member peer) {
    if (lowest == highest) {
      return highest;
    }
    Integer known = versions.get(peer);
    return known == null ? lowest : known;
  }

  /** The version that a peer and all others read. */
  int commonVersion(Member peer, Collection<Member> others) {
    int common = versionFor(peer);
    for (Member other : others) {
      common = Math.min(common, versionFor(other));
    }
    return common;
  }

  /** Whether this node reads messages of a version. */
  boolean speaks(int version) {
    return lowest <= version && version <= highest;
  }

  /** Whether the sender of a message that begins with this byte speaks a version of this node. */
  boolean sharesVersion(int firstByte) {
    return speaks(versionOf(firstByte)) || speaks(highestOf(firstByte));
  }

  /** Says which versions the sender of a message speaks, and which this node. */
  String describe(Member peer, int firstByte) {
    return "%s speaks message version %s, this node %s"
        .formatted(peer, range(versionOf(firstByte), highestOf(firstByte)), range(lowest, highest));
  }

  private static String range(int lowest, int highest) {
    return lowest == highest ? "" + lowest : lowest + " to " + highest;
  }
}
