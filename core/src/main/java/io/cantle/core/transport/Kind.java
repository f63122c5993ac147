package io.cantle.core.transport;

import io.cantle.core.base.MalformedException;

/**
 * What a message is. The order is the wire format: kinds are only added at the end, and the version
 * byte of the envelope changes when one changes its meaning.
 */
public enum Kind {
  /** An answer; the request's number says to what. */
  ANSWER,
  /** A new coordinator asks for the latest topology known and for obedience. */
  GATHER,
  /** Tells a coordinator what a member knows. */
  GATHERED,
  /** A whole topology to adopt. */
  TOPOLOGY,
  /** Tells the coordinator something it acts on: received, leaving, wanted, adopted. */
  REPORT,
  /** Tells a leaving member that nothing depends on it any more. */
  LEFT,
  /** Tells a member that its grid and this one cannot become one. */
  FOREIGN,
  /** A new primary asks whether a member has entered the epoch, and for what it has not seen. */
  ENTER,
  /** Tells a new primary what a member holds. */
  ENTERED,
  /** Hands writes of an earlier epoch to a member that missed them. */
  OPEN,
  /** Tells a new primary that these writes are in. */
  OPENED,
  /** A joining owner asks for the next entries of a segment. */
  TRANSFER,
  /** A read of one key. */
  READ,
  /** A write of one key. */
  WRITE,
  /** Writes of many keys. */
  BULK,
  /** Writes a primary hands to its backups. */
  REPLICATE,
  /** How far a backup has come. */
  ACK,
  /** How far all owners have come, for backups that hear of no write. */
  COMMITTED,
  /** Asks for the next entries of some segments. */
  PULL,
  /** Asks for a partial result over some segments. */
  REDUCE,
  /** Asks how many entries some segments have. */
  COUNT,
  /** A primary cannot wait for the next acknowledgement. */
  ACK_WANTED;

  private static final Kind[] ALL = values();

  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  int code() {
    return ordinal();
  }

  static Kind of(int code) {
    if (code >= ALL.length) {
      throw new MalformedException(
          "message kind " + code + " is unknown; the last is " + (ALL.length - 1));
    }
    return ALL[code];
  }
}
