package io.cantle;

import java.util.List;
import java.util.Map;

/**
 * Some entries of a cache, and where to go on.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param entries at most as many as asked for; perhaps none though more follow
 * @param next where the next page begins; {@link ScanCursor#END} after the last
 */
public record ScanPage<K, V>(List<Map.Entry<K, V>> entries, ScanCursor next) {
  /** Copies the list. */
  public ScanPage {
    entries = List.copyOf(entries);
  }
}
