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
  /** A node was killed between two messages it sent in one go. */
  CRASH_AMID_SENDING("crashes between two sends"),
  /** A node that was killed has started again. */
  RESTART("restarts"),
  /** So many nodes were killed at once that data or the majority was lost. */
  OVERLOAD("crashes of more than may be lost"),
  /** A node stood still for a moment. */
  PAUSE("short pauses"),
  /** A node stood still for long. */
  LONG_PAUSE("long pauses"),
  /** A node's clock has another speed. */
  DRIFT("drifting clocks"),
  /** Views left out a member that was there. */
  SUSPICION("false suspicions"),
  /** Messages went one way only between some nodes. */
  ONE_WAY("one-way cuts"),
  /** The network was cut in two. */
  HALVES("partitions into halves"),
  /** One node was cut off. */
  ALONE("partitions of one node"),
  /** The network was cut in two, but for one node. */
  BRIDGE("partitions with a bridge"),
  /** Each node heard another majority. */
  RING("partitions into a ring of majorities"),
  /** The network was cut in three. */
  SHARDS("partitions into three"),
  /** A cut that came and went. */
  FLAPPING("flapping partitions"),
  /** A cut has ended. */
  HEAL("heals"),
  /** A member that a view had left out stood in a later one again. */
  BACK("members back in a view"),
  /** A node was told of a view. */
  VIEW("views delivered"),
  /** A message has reached its receiver. */
  MESSAGE("messages delivered"),
  /** A message was held up far longer than usual. */
  DELAYED("messages delayed"),
  /** A message has arrived after one that was sent later between the same two nodes. */
  OVERTAKEN("messages overtaken"),
  /** A message was lost on its way and sent again. */
  RESENT("messages lost and sent again"),
  /** A message was lost for good. */
  LOST("messages lost"),
  /** A message arrived once more. */
  DUPLICATED("messages duplicated"),
  /** A message was lost because the way was cut. */
  CUT("messages cut off"),
  /** A message that a cut had held up arrived when it was healed. */
  KEPT("messages kept through a cut"),
  /** A message was lost with the node that sent it or was to receive it. */
  VANISHED("messages lost with a node"),
  /** A client has called. */
  CALL("calls"),
  /** A call has ended normally. */
  RETURN("operations"),
  /** A write whose fate its client does not know. */
  INDETERMINATE("indeterminate operations"),
  /** A call a node refused because it did not see the majority. */
  NOT_AVAILABLE("operations without a majority"),
  /** A call that was told that its segment has no owner. */
  SEGMENT_LOST("operations on a lost segment"),
  /** A call that failed without effect. */
  FAILURE("failed operations"),
  /** An iteration or stream has ended normally. */
  SCAN("iterations"),
  /** An iteration or stream during which the membership changed. */
  SCAN_ACROSS_CHANGE("iterations across a membership change"),
  /** An iteration or stream that ended with an exception. */
  SCAN_FAILURE("failed iterations"),
  /** An iteration its client gave up half-way. */
  SCAN_ABANDONED("abandoned iterations"),
  /** All nodes of a grid were killed, to start again with what they had on disk. */
  STOP("stops of the whole grid"),
  /** The machine of a node was suspended. */
  SUSPENSION("suspended machines"),
  /** A node was killed, to start again with an old copy of what it had on disk. */
  OLD_STORE("stores put back from old copies");

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
