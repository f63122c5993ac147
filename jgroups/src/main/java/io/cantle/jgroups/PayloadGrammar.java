package io.cantle.jgroups;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import org.jgroups.protocols.pbcast.GMS;

/**
 * Checks the payloads that the protocols of {@link ProtocolStack} put into messages. The readers of
 * JGroups trust the wire, so each payload is checked to its last byte before JGroups sees it.
 *
 * <p><b>Threading:</b> any thread; stateless.
 */
final class PayloadGrammar {
  private static final int MAX_MEMBERS = 4_096;
  private static final int MAX_MISSING = 1 << 20;

  /** Flags of the response to a joining node, which are private to JGroups. */
  private static final int JOIN_VIEW = 1;

  private static final int JOIN_DIGEST = 2;
  private static final int JOIN_REFUSED = 4;
  private static final int JOIN_MERGE_VIEW = 8;

  private PayloadGrammar() {}

  /** Checks the payload of discovery: nodes that were found. */
  static void checkNodesFound(Input in) {
    int count = checkedCount(in.readInt());
    for (int i = 0; i < count; i++) {
      AddressReader.checkMemberOrNone(in);
      in.readByte();
      HeaderReader.checkString(in);
      AddressReader.checkPhysicalAddressOrNone(in);
      checkMembersOrNone(in);
    }
  }

  /** Checks a view whose kind the message does not say. */
  static void checkView(Input in) {
    if (!in.readBoolean()) {
      return;
    }
    int members = checkView(in, false);
    if (in.remaining() > 0) {
      checkSubgroups(in, members);
    }
  }

  /** Checks the payload of a message of the membership protocol, by its type. */
  static void checkMembership(int type, Input in) {
    switch (type) {
      case GMS.GmsHeader.JOIN_RSP -> checkJoinAnswer(in);
      case GMS.GmsHeader.VIEW,
          GMS.GmsHeader.MERGE_RSP,
          GMS.GmsHeader.INSTALL_MERGE_VIEW,
          GMS.GmsHeader.INSTALL_DIGEST,
          GMS.GmsHeader.GET_DIGEST_RSP ->
          checkViewAndDigest(in);
      case GMS.GmsHeader.MERGE_REQ -> checkMembersOrNone(in);
      case GMS.GmsHeader.GET_CURRENT_VIEW -> checkViewIdOrNone(in);
      default -> {}
    }
  }

  private static void checkJoinAnswer(Input in) {
    if (!in.readBoolean()) {
      return;
    }
    int flags = in.readByte();
    if ((flags & ~(JOIN_VIEW | JOIN_DIGEST | JOIN_REFUSED | JOIN_MERGE_VIEW)) != 0) {
      throw new MalformedException("an answer to a joining node has flags " + flags);
    }
    boolean merged = (flags & JOIN_MERGE_VIEW) != 0;
    int members = merged || (flags & JOIN_VIEW) != 0 ? checkView(in, merged) : -1;
    if ((flags & JOIN_DIGEST) != 0) {
      checkDigestOfView(in, members);
    }
    if ((flags & JOIN_REFUSED) != 0) {
      HeaderReader.checkText(in);
    }
  }

  private static void checkViewAndDigest(Input in) {
    int flags = in.readShort();
    int known =
        GMS.VIEW_PRESENT | GMS.DIGEST_PRESENT | GMS.MERGE_VIEW | GMS.DELTA_VIEW | GMS.READ_ADDRS;
    if ((flags & ~known) != 0) {
      throw new MalformedException("a view has flags " + flags);
    }
    int members = -1;
    if ((flags & GMS.VIEW_PRESENT) != 0) {
      boolean merged = (flags & GMS.MERGE_VIEW) != 0;
      boolean delta = (flags & GMS.DELTA_VIEW) != 0;
      members = delta && !merged ? checkDeltaView(in) : checkView(in, merged);
    }
    if ((flags & GMS.DIGEST_PRESENT) != 0) {
      if ((flags & GMS.READ_ADDRS) != 0) {
        checkDigest(in);
      } else {
        checkDigestOfView(in, members);
      }
    }
  }

  /** Returns the number of members. */
  private static int checkView(Input in, boolean merged) {
    checkViewId(in);
    int members = checkMembers(in);
    if (merged) {
      checkSubgroups(in, members);
    }
    return members;
  }

  /** Returns a negative number, since the view does not contain its number of members. */
  private static int checkDeltaView(Input in) {
    checkViewId(in);
    checkViewId(in);
    checkMembers(in);
    checkMembers(in);
    return -1;
  }

  private static void checkSubgroups(Input in, int members) {
    int count = checkedCount(in.readShort());
    for (int i = 0; i < count; i++) {
      checkMemberOfView(in, members);
      in.readLong();
      int size = checkedCount(in.readShort());
      for (int j = 0; j < size; j++) {
        checkMemberOfView(in, members);
      }
    }
  }

  private static void checkMemberOfView(Input in, int members) {
    int index = in.readShort();
    if (index >= members) {
      throw new MalformedException("member " + index + " of a view of " + members);
    }
    if (index < 0) {
      AddressReader.readMember(in);
    }
  }

  private static void checkViewId(Input in) {
    AddressReader.readMember(in);
    HeaderReader.readNumber(in);
  }

  /** Checks for the id of a view, or none. */
  static void checkViewIdOrNone(Input in) {
    if (in.readBoolean()) {
      checkViewId(in);
    }
  }

  private static int checkMembers(Input in) {
    return checkMembers(in, in.readShort());
  }

  private static int checkMembers(Input in, int count) {
    checkedCount(count);
    for (int i = 0; i < count; i++) {
      AddressReader.readMember(in);
    }
    return count;
  }

  private static void checkMembersOrNone(Input in) {
    int count = in.readShort();
    if (count != -1) {
      checkMembers(in, count);
    }
  }

  /** Checks a digest: which messages members have received from each other. */
  static void checkDigest(Input in) {
    int count = checkMembers(in);
    checkReceived(in, count);
  }

  private static void checkDigestOfView(Input in, int members) {
    int count = in.readShort();
    if (count != members || members < 0) {
      throw new MalformedException("a digest of " + count + " with a view of " + members);
    }
    checkReceived(in, count);
  }

  private static void checkReceived(Input in, int count) {
    for (int i = 0; i < count; i++) {
      int lengths = in.readByte();
      HeaderReader.readNumber(in, lengths >>> 4, Long.BYTES);
      HeaderReader.readNumber(in, lengths & 0xF, Long.BYTES);
    }
  }

  /** Checks the numbers of missing messages. */
  static void checkMissing(Input in) {
    int size = in.readInt();
    in.readLong();
    if (size < 0 || size > MAX_MISSING) {
      throw new MalformedException(size + " messages are missing");
    }
    in.skip(Math.ceilDiv(size, Long.SIZE) * Long.BYTES);
  }

  private static int checkedCount(int count) {
    if (count < 0 || count > MAX_MEMBERS) {
      throw new MalformedException(count + " is not within 0.." + MAX_MEMBERS);
    }
    return count;
  }
}
