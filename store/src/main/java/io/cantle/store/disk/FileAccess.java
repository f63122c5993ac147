package io.cantle.store.disk;

/**
 * How a file is to be used, chosen when it is opened.
 *
 * <p><b>Threading:</b> immutable.
 */
public enum FileAccess {
  /** Reads only, through the system's cache. */
  READ,
  /** Writes through the system's cache; only {@link DiskFile#force} makes writes durable. */
  BUFFERED,
  /**
   * Writes past the system's cache, so that each write is durable when it returns, if the file
   * system supports that; {@link DiskFile#isDurable} tells. Otherwise the same as {@link
   * #BUFFERED}. Offsets, lengths and buffers must be multiples of the disk's block, and buffers
   * must be direct.
   */
  DURABLE
}
