package io.cantle.store.disk;

/**
 * How a file is to be used, chosen when it is opened.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum FileAccess {
  /** Reads only, through the system's cache. */
  READ,
  /** Writes through the system's cache; only {@link DiskFile#force} makes them durable. */
  BUFFERED,
  /**
   * Writes past the system's cache, each durable when it returns, where the file system takes that;
   * {@link DiskFile#isDurable} tells. Elsewhere the same as {@link #BUFFERED}. Places, lengths and
   * buffers are multiples of the disk's block, buffers are direct.
   */
  DURABLE
}
