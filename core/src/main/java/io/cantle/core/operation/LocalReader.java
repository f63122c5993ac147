package io.cantle.core.operation;

import io.cantle.core.agreement.Lease;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.container.Entry;
import io.cantle.core.container.ExpiryTime;
import io.cantle.core.container.ValueHints;
import io.cantle.core.replica.LocalRead;
import io.cantle.core.replica.ReplicaContext;
import io.cantle.core.replica.ReplicaLookup;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys of one cache that this node can answer for at once: it is an owner, the entry is
 * clean, in memory and certainly alive, and the lease is held afterwards. That is every read of a
 * local cache, and most reads at an owner. Such a read waits for nothing, so it has no deadline. It
 * makes no object either.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LocalReader {
  /** Stands for the answer of a read that this node cannot give at once. */
  public static final Entry ELSEWHERE = Entry.of(0, new byte[0], 0, 0, 0, true, 0, null);

  private final CacheReplicas cacheReplicas;
  private final Lease lease;

  LocalReader(CacheResolver cacheResolver, ReplicaContext context) {
    this.cacheReplicas = new CacheReplicas(cacheResolver, context);
    this.lease = context.topologyDriver().lease();
  }

  /**
   * Finds the value of a key that was found here before, by the object of the key.
   *
   * @param key of a class that {@link ValueHints} accepts
   * @return the value, if anybody may have the object; null if it is not known
   */
  public @Nullable Object findValue(Object key) {
    CacheReplicas.OfTopology known = cacheReplicas.latest();
    Object value = known == null ? null : known.hints().find(key);
    if (known == null || value == null) {
      return null;
    }
    // The value was present when it was read. What else it depends on is checked afterwards.
    return lease.isHeld() && cacheReplicas.isCurrent(known) ? value : null;
  }

  /**
   * Finds the live entry of a key.
   *
   * @param keyObject what the bytes encode, if nobody can change it; otherwise null
   * @return the entry, null if there is none, or {@link #ELSEWHERE}
   * @throws io.cantle.CacheDestroyedException if the cache was destroyed
   */
  public @Nullable Entry find(byte[] key, @Nullable Object keyObject) {
    CacheReplicas.OfTopology known = cacheReplicas.current();
    if (known == null) {
      return ELSEWHERE;
    }
    long hash = known.hash(key, 0, key.length);
    ReplicaLookup lookup = known.lookupOf(hash);
    LocalRead found = lookup.find(hash, keyObject, key, 0, key.length);
    Entry entry = found.entry();
    // The lease is checked after the entry was read; Lease says why. The topology is checked last,
    // because another grid may have another cache at this place.
    if (found.status() != LocalRead.Status.CLEAN
        || (entry != null && (entry.isEvicted() || mayHaveExpired(known, entry)))
        || !lease.isHeld()
        || !cacheReplicas.isCurrent(known)) {
      return ELSEWHERE;
    }
    if (entry == null || entry.isTombstone()) {
      return null;
    }
    if (keyObject != null
        && ValueHints.accepts(keyObject)
        && entry.sharedValue() != null
        && entry.expiresAtMillis() == ExpiryTime.NEVER
        && lookup.isAlwaysClean()
        && !lookup.marksUses()
        && known.hints().mayRemember(entry)) {
      known.replicaOf(hash).directExecution().remember(entry);
    }
    return entry;
  }

  private static boolean mayHaveExpired(CacheReplicas.OfTopology known, Entry entry) {
    return entry.expiresAtMillis() != ExpiryTime.NEVER
        && !known.replicaOf(entry.hash()).expiry().isCertainlyLive(entry);
  }
}
