package io.cantle.store.disk;

/**
 * Every place where something is made durable, and what for. A disk need not look at it; it names
 * the place in an error, and a test has each of them forgotten in turn.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum SyncPoint {
  /** The directory itself has a name in its parent. */
  HOME,
  /** The catalog's new text, before it takes the old one's name. */
  CATALOG,
  /** The catalog's new text has the name. */
  CATALOG_NAME,
  /** A file is written from end to end and has its head, before anything relies on either. */
  PREPARED,
  /** A prepared file has its name, before the first frame is written to it. */
  PREPARED_NAME,
  /** A frame of records, before they are acknowledged. */
  BATCH,
  /** The frame that says in which file the log goes on, before that one is written to. */
  SEAL,
  /** The frame that says that the log was closed and is whole. */
  CLOSED,
  /**
   * The names recovery found, before it changes any: the catalog may have its own in a cache only.
   */
  RECOVERED_NAMES,
  /** What recovery found, before it is shown to anybody. */
  RECOVERED,
  /** A run is written from end to end, before the manifest names it. */
  RUN,
  /** A run has its name, before the manifest names it. */
  RUN_NAME,
  /** A snapshot is written, before it takes its name. */
  SNAPSHOT,
  /** A snapshot has its name, before the one before it is deleted. */
  SNAPSHOT_NAME
}
