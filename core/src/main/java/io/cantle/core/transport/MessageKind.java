package io.cantle.core.transport;

import io.cantle.core.base.MalformedException;

/**
 * What a message is. The order is the wire format: kinds are only added at the end, and the version
 * byte of the envelope changes when one changes its meaning.
 */
public enum MessageKind {
  /** An answer; the request's number says to what. */
  RESPONSE,
  /** Tells a node that is no member which grid this is, or that there is none yet. */
  HELLO,
  /** A node asks to be admitted. */
  JOIN,
  /** A whole topology that is decided. */
  TOPOLOGY,
  /** A proposer asks a voter to obey its ballot. */
  PREPARE,
  /** A voter obeys, and tells what it has accepted. */
  PROMISED,
  /** A proposer asks a voter to accept a topology. */
  ACCEPT,
  /** A voter has accepted. */
  ACCEPTED,
  /** A voter obeys a higher ballot. */
  REJECTED,
  /** What a voter has accepted is decided. */
  DECIDED,
  /** A member asks a voter for its lease and tells how far it is. */
  RENEW_LEASE,
  /** A voter grants a lease and tells whom it does not hear. */
  LEASE_RENEWED,
  /** Tells the voters something the leading one acts on. */
  REPORT,
  /** A new primary asks whether a member has entered the epoch, and for what it has not seen. */
  ENTER_EPOCH,
  /** Tells a new primary what a member holds. */
  EPOCH_ENTERED,
  /** Hands writes of an earlier epoch to a member that missed them. */
  CATCH_UP,
  /** Tells a new primary that these writes are in. */
  CAUGHT_UP,
  /** A joining owner asks for the next entries of a segment. */
  TRANSFER,
  /** A read of one key. */
  READ,
  /** A write of one key. */
  WRITE,
  /** Writes of many keys. */
  BULK_WRITE,
  /** Writes a primary hands to its backups. */
  REPLICATE,
  /** How far a backup has come. */
  ACK,
  /** How far all owners have come, for backups that hear of no write. */
  COMMITTED,
  /** Asks for the next entries of some segments. */
  PULL,
  /** Asks for the next partial results over some segments. */
  REDUCE,
  /** Asks how many entries some segments have. */
  COUNT,
  /** A primary cannot wait for the next acknowledgement. */
  ACK_REQUEST,
  /** A backup asks how far all owners have come. */
  COMMITTED_REQUEST,
  /** A member of a grid says that it is cut off from the majority. */
  CUT_OFF,
  /** Asks whether what somebody held of a grid that is given up is merged already. */
  MERGED_REQUEST,
  /** Nobody waits for the answer to a scan's request any more. */
  CANCEL,
  /** Tells a node why it is not let into a grid. */
  REFUSED,
  /** Shows how far a node's store has come. */
  HISTORY;

  private static final MessageKind[] ALL = values();

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  int code() {
    return ordinal();
  }

  /**
   * Whether a message of this kind is about what one grid holds: it means nothing in another one of
   * the same name.
   */
  boolean isGridScoped() {
    return switch (this) {
      case RESPONSE, HELLO, JOIN, TOPOLOGY, PREPARE, CUT_OFF, REFUSED, HISTORY -> false;
      default -> true;
    };
  }

  /** Whether such a message is part of how topologies are decided and leases granted. */
  public boolean votes() {
    return switch (this) {
      case JOIN,
          PROMISED,
          ACCEPT,
          ACCEPTED,
          REJECTED,
          DECIDED,
          RENEW_LEASE,
          LEASE_RENEWED,
          REPORT ->
          true;
      default -> false;
    };
  }

  /**
   * Whether a message of this kind has a lane of its own, see {@link Transport#sendUrgent}: a node
   * whose renewals wait behind data is excluded though it works.
   */
  boolean isUrgent() {
    return this == RENEW_LEASE || this == LEASE_RENEWED;
  }

  static MessageKind of(int code) {
    if (code >= ALL.length) {
      throw new MalformedException(
          "message kind " + code + " is unknown; the last is " + (ALL.length - 1));
    }
    return ALL[code];
  }
}
