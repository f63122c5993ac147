package io.cantle;

import java.util.List;
import java.util.Map;

/**
 * A page of a cache's entries, and the cursor where the next page begins.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param entries at most as many as requested; may be empty although more follow
 * @param next where the next page begins; {@link ScanCursor#END} after the last
 */
public record ScanPage<K, V>(List<Map.Entry<K, V>> entries, ScanCursor next) {
  /** Copies the list. */
  public ScanPage {
    entries = List.copyOf(entries);
  }
}
