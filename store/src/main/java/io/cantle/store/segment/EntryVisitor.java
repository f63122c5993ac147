package io.cantle.store.segment;

/**
 * Is shown the entries of a segment in the order of hash and key.
 *
 * <p><b>Threading:</b> the thread that scans.
 */
@FunctionalInterface
public interface EntryVisitor {

  /**
   * One entry.
   *
   * @return whether to go on; after {@code false} the scan's answer is the place behind this entry
   */
  boolean visit(StoredEntry entry);
}
