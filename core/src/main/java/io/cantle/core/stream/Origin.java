package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.Scans;

/**
 * What the streams of one cache need of the node that asks.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param scans reach the entries
 * @param codec sends functions
 * @param elementForm reads elements
 * @param cache the cache they are of, as opened here
 * @param world has threads for publishers
 */
record Origin(Scans scans, Codec codec, ElementForm elementForm, Cache<?, ?> cache, World world) {

  // Elements may be null where the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  Object element(Input in) {
    return elementForm.read(in);
  }
}
