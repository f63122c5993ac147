package io.cantle.store.segment;

/**
 * Visits the entries of a segment in the order of hash and key.
 *
 * <p><b>Threading:</b> the thread that scans.
 */
@FunctionalInterface
public interface StoredEntryVisitor {

  /**
   * Visits one entry.
   *
   * @return whether to go on; after {@code false} the scan returns the cursor after this entry
   */
  boolean visit(StoredEntry entry);
}
