package io.cantle.store.segment;

/**
 * An entry as it was read from a file, with what the file says beside it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cache the number of the cache
 * @param segment the segment
 * @param incarnation the incarnation of the segment that it belongs to
 * @param isRemoved whether it says that the key was removed
 * @param length how many bytes of the file it takes
 * @param entry the entry
 */
record StoredRecord(
    int cache, int segment, long incarnation, boolean isRemoved, long length, StoredEntry entry) {}
