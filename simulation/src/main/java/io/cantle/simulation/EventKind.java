package io.cantle.simulation;

/**
 * What is counted and hashed while a seed runs.
 *
 * <p><b>Threading:</b> immutable.
 */
enum EventKind {
  /** A node has joined, the first ones included. */
  JOIN("joins"),
  /** A node has left after handing over. */
  LEAVE("leaves"),
  /** A node was killed. */
  CRASH("crashes"),
  /** A node was killed while another membership change was under way. */
  CRASH_AMID_CHANGE("crashes amid a membership change"),
  /** A node stood still for a while. */
  PAUSE("pauses"),
  /** A node was told of a view. */
  VIEW("views delivered"),
  /** A message has reached its receiver. */
  MESSAGE("messages delivered"),
  /** A message was held up far longer than usual. */
  DELAYED("messages delayed"),
  /** A message has arrived after one that was sent later between the same two nodes. */
  OVERTAKEN("messages overtaken"),
  /** A message was lost on its way and sent again. */
  LOST("messages lost and sent again"),
  /** A message was lost with the node that sent it or was to receive it. */
  VANISHED("messages lost with a node"),
  /** A client has called. */
  CALL("calls"),
  /** A call has ended normally. */
  RETURN("operations"),
  /** A write whose fate its client does not know. */
  INDETERMINATE("indeterminate operations"),
  /** A call that failed without effect. */
  FAILURE("failed operations"),
  /** An iteration or stream has ended normally. */
  SCAN("iterations"),
  /** An iteration or stream during which the membership changed. */
  SCAN_ACROSS_CHANGE("iterations across a membership change"),
  /** An iteration or stream that ended with an exception. */
  SCAN_FAILURE("failed iterations"),
  /** An iteration its client gave up half-way. */
  SCAN_ABANDONED("abandoned iterations");

  private final String plural;

  EventKind(String plural) {
    this.plural = plural;
  }

  /** Its place in an array of figures; it is kept nowhere beyond a run. */
  @SuppressWarnings("EnumOrdinal")
  int index() {
    return ordinal();
  }

  /** What many of them are called in a report. */
  String plural() {
    return plural;
  }
}
