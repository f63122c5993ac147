package io.cantle.simulation;

/**
 * A kind of event that is counted and hashed while a seed runs.
 *
 * <p><b>Threading:</b> immutable.
 */
enum EventKind {
  /** A node has joined; the founders count as well. */
  JOIN("joins"),
  /** A node has left after handing its data over. */
  LEAVE("leaves"),
  /** A node was killed. */
  CRASH("crashes"),
  /** A node was killed while another membership change was under way. */
  CRASH_AMID_CHANGE("crashes amid a membership change"),
  /** A node was killed between two messages that it sent in one go. */
  CRASH_AMID_SENDING("crashes between two sends"),
  /** A node that was killed has started again. */
  RESTART("restarts"),
  /** More nodes were killed at once than the grid can lose without losing data or the majority. */
  OVERLOAD("crashes of more than may be lost"),
  /** A node was paused for a moment. */
  PAUSE("short pauses"),
  /** A node was paused for long. */
  LONG_PAUSE("long pauses"),
  /** The clock of a node runs at another speed. */
  DRIFT("drifting clocks"),
  /** Views left out a member that was present. */
  SUSPICION("false suspicions"),
  /** Messages passed only one way between some nodes. */
  ONE_WAY("one-way cuts"),
  /** The network was cut in two. */
  HALVES("partitions into halves"),
  /** One node was cut off. */
  ALONE("partitions of one node"),
  /** The network was cut in two, but for one node. */
  BRIDGE("partitions with a bridge"),
  /** Each node heard a different majority. */
  RING("partitions into a ring of majorities"),
  /** The network was cut in three. */
  SHARDS("partitions into three"),
  /** A cut was opened and closed repeatedly. */
  FLAPPING("flapping partitions"),
  /** A cut has ended. */
  HEAL("heals"),
  /** A member that a view had left out was in a later one again. */
  BACK("members back in a view"),
  /** A view was delivered to a node. */
  VIEW("views delivered"),
  /** A message has reached its receiver. */
  MESSAGE("messages delivered"),
  /** A message was held up far longer than usual. */
  DELAYED("messages delayed"),
  /** A message arrived after one that was sent later between the same two nodes. */
  OVERTAKEN("messages overtaken"),
  /** A message was lost on its way and sent again. */
  RESENT("messages lost and sent again"),
  /** A message was lost for good. */
  LOST("messages lost"),
  /** A message arrived once more. */
  DUPLICATED("messages duplicated"),
  /** A message was lost because its link was cut. */
  CUT("messages cut off"),
  /** A message that a cut had held up arrived after the heal. */
  KEPT("messages kept through a cut"),
  /** A message was lost because its sender or receiver died. */
  VANISHED("messages lost with a node"),
  /** A client began a call. */
  CALL("calls"),
  /** A call ended normally. */
  RETURN("operations"),
  /** The client does not know the outcome of its write. */
  INDETERMINATE("indeterminate operations"),
  /** A node refused a call because it did not reach the majority. */
  NOT_AVAILABLE("operations without a majority"),
  /** A call failed because its segment has no owner. */
  SEGMENT_LOST("operations on a lost segment"),
  /** A call failed without effect. */
  FAILURE("failed operations"),
  /** An iteration or stream ended normally. */
  SCAN("iterations"),
  /** An iteration or stream during which the membership changed. */
  SCAN_ACROSS_CHANGE("iterations across a membership change"),
  /** An iteration or stream that ended with an exception. */
  SCAN_FAILURE("failed iterations"),
  /** A client gave up an iteration half-way. */
  SCAN_ABANDONED("abandoned iterations"),
  /** All nodes of a grid were killed, to restart from their stores. */
  STOP("stops of the whole grid"),
  /** The machine of a node was suspended. */
  SUSPENSION("suspended machines"),
  /** A node was killed, to restart with an old copy of its store. */
  OLD_STORE("stores put back from old copies"),
  /** A message was written in the version of the next build. */
  NEXT_VERSION("messages of the next version"),
  /** A client has destroyed a cache. */
  DESTROY("destroyed caches"),
  /** A node has evicted entries. */
  EVICTION("nodes with evictions"),
  /** A write found no room. */
  CACHE_FULL("writes without room"),
  /** Of a bulk write, some writes are known to be made, and others not to be. */
  WRITTEN_IN_PART("bulk writes made in part");

  private final String plural;

  EventKind(String plural) {
    this.plural = plural;
  }

  /** Returns its index in an array of figures. The index is not stored beyond a run. */
  @SuppressWarnings("EnumOrdinal")
  int index() {
    return ordinal();
  }

  /** Returns the name of several of them in a report. */
  String plural() {
    return plural;
  }
}
