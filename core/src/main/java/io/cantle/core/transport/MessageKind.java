package io.cantle.core.transport;

import io.cantle.core.base.MalformedException;

/**
 * The kind of a message. The order is the wire format: kinds are only added at the end, and the
 * version byte of the envelope changes if a kind changes its meaning.
 */
public enum MessageKind {
  /** A response to the request with the same number. */
  RESPONSE,
  /** Tells a node that is not a member which grid this is, or that there is none yet. */
  HELLO,
  /** A node asks to be admitted to the grid. */
  JOIN,
  /** A decided topology, in full. */
  TOPOLOGY,
  /** A proposer asks a voter to promise its ballot. */
  PREPARE,
  /** A voter promises a ballot and reports what it has accepted. */
  PROMISED,
  /** A proposer asks a voter to accept a topology. */
  ACCEPT,
  /** A voter has accepted a topology. */
  ACCEPTED,
  /** A voter refuses because it has promised a higher ballot. */
  REJECTED,
  /** The topology that a voter has accepted is decided. */
  DECIDED,
  /** A member asks a voter to renew its lease and reports its progress. */
  RENEW_LEASE,
  /** A voter renews a lease and reports which members it does not hear. */
  LEASE_RENEWED,
  /** Reports something to the voters on which their leader acts. */
  REPORT,
  /**
   * A new primary asks a member to enter its epoch, and for the writes the primary has not seen.
   */
  ENTER_EPOCH,
  /** Tells a new primary which writes a member holds. */
  EPOCH_ENTERED,
  /** Sends writes of an earlier epoch to a member that missed them. */
  CATCH_UP,
  /** Tells a new primary that the missed writes are applied. */
  CAUGHT_UP,
  /** A joiner asks for the next entries of a segment. */
  TRANSFER,
  /** A read of one key. */
  READ,
  /** A write of one key. */
  WRITE,
  /** Writes of many keys. */
  BULK_WRITE,
  /** Writes that a primary sends to its backups. */
  REPLICATE,
  /** A backup acknowledges how far it has applied writes. */
  ACK,
  /**
   * How far all owners have applied writes, for backups that receive no write that would say so.
   */
  COMMITTED,
  /** Requests the next entries of some segments. */
  PULL,
  /** Requests the next partial results over some segments. */
  REDUCE,
  /** Requests the number of entries of some segments. */
  COUNT,
  /** A primary asks for an acknowledgement, because it cannot wait for the next one. */
  ACK_REQUEST,
  /** A backup asks how far all owners have applied writes. */
  COMMITTED_REQUEST,
  /** A member of a grid reports that it is cut off from the majority. */
  CUT_OFF,
  /** Asks whether the data that a node held of an abandoned grid has been merged. */
  MERGED_REQUEST,
  /** Cancels a request of a scan, because its response is no longer needed. */
  CANCEL,
  /** Tells a node why it is not admitted to a grid. */
  REFUSED,
  /** Sends the history of a node's store: how far it has come. */
  HISTORY,
  /** Reads of many keys. */
  BULK_READ,
  /** Whether the heap of a member is full. */
  HEAP,
  /** Writes of a scattered cache that a primary sends to the holder of their second copies. */
  REPLICATE_COPY,
  /** A new primary of a scattered segment asks what a member holds of it. */
  COLLECT,
  /** Tells a new primary what a member holds. */
  COLLECTED,
  /** Tells a holder which second copies to hold from now on, and which not any more. */
  UPDATE_COPIES,
  /** Tells a primary that its holder has done so. */
  COPIES_UPDATED;

  private static final MessageKind[] ALL = values();

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  int code() {
    return ordinal();
  }

  /**
   * Whether a message of this kind concerns the contents of one grid. It is meaningless in another
   * grid of the same name.
   */
  boolean isGridScoped() {
    return switch (this) {
      case RESPONSE, HELLO, JOIN, TOPOLOGY, PREPARE, CUT_OFF, REFUSED, HISTORY -> false;
      default -> true;
    };
  }

  /** Whether messages of this kind take part in deciding topologies and granting leases. */
  public boolean isAgreementMessage() {
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
   * Whether messages of this kind bring a topology. All members are to read the same in it, also
   * when another member relays it, so it is written in a version that all of them speak.
   */
  boolean carriesTopology() {
    return this == TOPOLOGY || this == PREPARE || this == PROMISED || this == ACCEPT;
  }

  /**
   * Whether messages of this kind bypass others, see {@link Transport#sendUrgent}. A node whose
   * lease renewals waited behind data would be excluded although it works.
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
