package io.cantle.simulation.script;

import io.cantle.core.transport.MessageKind;
import java.util.Arrays;
import java.util.Locale;

/**
 * A group of messages that a script shows or leaves out.
 *
 * <p><b>Threading:</b> immutable.
 */
enum MessageFamily {
  /** Reads and writes of callers. */
  CALLS,
  /** From a primary to the other writers, and back. */
  REPLICATION,
  /** How a new epoch begins. */
  EPOCHS,
  /** What a joiner fetches. */
  TRANSFERS,
  /** Iterations, streams and counts. */
  SCANS,
  /** How voters decide a topology and tell it. */
  AGREEMENT,
  /** What members report to the voters. */
  REPORTS,
  /** Leases and their renewal. */
  LEASES,
  /** How nodes find into a grid. */
  DISCOVERY;

  /** Returns the family of a kind of message. */
  static MessageFamily of(MessageKind kind) {
    return switch (kind) {
      case READ, WRITE, BULK_READ, BULK_WRITE, MERGED_REQUEST, RESPONSE -> CALLS;
      case REPLICATE, ACK, ACK_REQUEST, COMMITTED, COMMITTED_REQUEST, HEAP -> REPLICATION;
      case REPLICATE_COPY, UPDATE_COPIES, COPIES_UPDATED -> REPLICATION;
      case COLLECT, COLLECTED -> TRANSFERS;
      case ENTER_EPOCH, EPOCH_ENTERED, CATCH_UP, CAUGHT_UP -> EPOCHS;
      case TRANSFER -> TRANSFERS;
      case PULL, REDUCE, COUNT, CANCEL -> SCANS;
      case TOPOLOGY, PREPARE, PROMISED, ACCEPT, ACCEPTED, REJECTED, DECIDED -> AGREEMENT;
      case REPORT -> REPORTS;
      case RENEW_LEASE, LEASE_RENEWED -> LEASES;
      case HELLO, JOIN, CUT_OFF, REFUSED, HISTORY -> DISCOVERY;
    };
  }

  /**
   * Returns the family of a name.
   *
   * @throws IllegalArgumentException if there is none, naming all
   */
  static MessageFamily named(String name) {
    return Arrays.stream(values())
        .filter(family -> family.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no family of messages is called " + name + "; they are " + list()));
  }

  private static String list() {
    return String.join(", ", Arrays.stream(values()).map(MessageFamily::toString).toList());
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
