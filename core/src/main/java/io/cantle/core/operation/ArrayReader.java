package io.cantle.core.operation;

import io.cantle.ContainerKind;
import io.cantle.core.agreement.Lease;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.InPlaceEntry;
import io.cantle.core.replica.ReplicaContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of one cache that are arrays of bytes, if they lie where no entry object is: off the
 * heap. A value is copied once, from there to the array that the caller gets. {@link LocalReader}
 * has an entry made of it, which is then decoded to another array. This one answers only where that
 * would, and not for entries that expire or whose use is marked.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class ArrayReader {
  private final CacheReplicas cacheReplicas;
  private final Lease lease;

  /** Whether the value that was read last was an array. If two threads differ, either counts. */
  private boolean expectsArray;

  /** Whether the entries of the cache are no objects, which another reader would have to make. */
  private final boolean isOffHeap;

  ArrayReader(CacheResolver cacheResolver, ReplicaContext context) {
    this.cacheReplicas = new CacheReplicas(cacheResolver, context);
    this.lease = context.topologyDriver().lease();
    this.isOffHeap = cacheResolver.definition().config().container() == ContainerKind.OFF_HEAP;
  }

  /** Whether {@link #find} may find something; it costs a look-up. */
  public boolean mayFind() {
    return isOffHeap && expectsArray;
  }

  /** Notes what another reader has found, by which the next {@link #find} is of use or not. */
  public void onOtherRead(Object value) {
    boolean isArray = value instanceof byte[];
    if (expectsArray != isArray) {
      expectsArray = isArray;
    }
  }

  /**
   * Copies the value of a key.
   *
   * @return null if there is none, or another reader has to say
   * @throws io.cantle.CacheDestroyedException if the cache was destroyed
   */
  public byte @Nullable [] find(byte[] key) {
    CacheReplicas.OfTopology known = cacheReplicas.current();
    if (known == null) {
      return null;
    }
    long hash = known.hash(key, 0, key.length);
    byte[] found = known.lookupOf(hash).readClean(hash, key, 0, key.length, ArrayReader::copyArray);
    // In this order, and afterwards, as in LocalReader.
    return found != null && lease.isHeld() && cacheReplicas.isCurrent(known) ? found : null;
  }

  private static byte @Nullable [] copyArray(InPlaceEntry entry) {
    int begin = Codec.beginOfArray(entry::valueByte, entry.valueLength());
    return begin < 0 ? null : entry.copyValueFrom(begin);
  }
}
