package io.cantle.store.disk;

/**
 * Every place in the code that makes something durable, and why. A disk may ignore it. An error
 * names the place, and a test lets a disk forget each of them in turn.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum SyncPoint {
  /** The directory itself has a name in its parent. */
  HOME,
  /** The catalog's new text, before it takes the old one's name. */
  CATALOG,
  /** The catalog's new text has its name. */
  CATALOG_NAME,
  /** A file is written from end to end and has its header, before anything relies on either. */
  PREPARED,
  /** A prepared file has its name, before the first frame is written to it. */
  PREPARED_NAME,
  /** A frame of records, before they are acknowledged. */
  BATCH,
  /** The frame that says in which file the log continues, before that file is written to. */
  SEAL,
  /** The frame that says that the log was closed and is whole. */
  CLOSED,
  /**
   * The names recovery found, before it changes any: the catalog's name may be in the system's
   * cache only.
   */
  RECOVERED_NAMES,
  /** What recovery found, before anything is told of it. */
  RECOVERED,
  /** A run is written from end to end, before the manifest names it. */
  RUN,
  /** A run has its name, before the manifest names it. */
  RUN_NAME,
  /** A snapshot is written, before it takes its name. */
  SNAPSHOT,
  /** A snapshot has its name, before the previous one is deleted. */
  SNAPSHOT_NAME
}
