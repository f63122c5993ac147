package io.cantle.core.node;

import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Slice;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operate.BulkWrites;
import io.cantle.core.operate.Callers;
import io.cantle.core.operate.Found;
import io.cantle.core.operate.Limited;
import io.cantle.core.operate.Operation;
import io.cantle.core.operate.Swap;
import io.cantle.core.replica.Result;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one cache as bytes.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Entries {
  static final int MAX_KEY_BYTES = 1 << 20;
  static final int MAX_VALUE_BYTES = Operation.MAX_VALUE_BYTES;

  private final CachePlace cache;
  private final Callers callers;
  private final BulkWrites bulkWrites;
  private final Runnable usable;
  private final Clock clock;

  /** How long what is written may live. */
  private final Lifetime lifetime;

  Entries(
      CachePlace cache,
      Callers callers,
      BulkWrites bulkWrites,
      Runnable usable,
      Clock clock,
      Lifetime lifetime) {
    this.lifetime = lifetime;
    this.cache = cache;
    this.callers = callers;
    this.bulkWrites = bulkWrites;
    this.usable = usable;
    this.clock = clock;
  }

  void checkUsable() {
    usable.run();
  }

  /** The same entries; what is written may live so long. */
  Entries lasting(Lifetime its) {
    return new Entries(cache, callers, bulkWrites, usable, clock, its);
  }

  Lifetime lifetime() {
    return lifetime;
  }

  /** An operation that writes a value which lives no longer than that. */
  Operation limited(Operation operation) {
    return Limited.of(operation, lifetime);
  }

  /** When a call that begins now must have ended. */
  long deadline() {
    usable.run();
    return callers.deadline();
  }

  /** Whether there is no time left for another try. */
  boolean passed(long deadline) {
    return clock.nanoTime() - deadline >= 0;
  }

  Found read(byte[] key, long deadline) {
    return read(key, true, deadline);
  }

  boolean contains(byte[] key) {
    Result found = read(key, false, deadline()).value();
    return found.hasValue() || found.isTrue();
  }

  private Found read(byte[] key, boolean wantsValue, long deadline) {
    try {
      return callers.read(cache, key, wantsValue, deadline);
    } catch (NotAvailableException e) {
      throw notAvailable(e);
    }
  }

  /** Refuses what would not fit into a message beside the value it replaces. */
  static byte[] checked(String what, byte[] bytes, int maxBytes) {
    if (bytes.length > maxBytes) {
      throw new IllegalArgumentException(
          "a " + what + " of " + bytes.length + " bytes is longer than " + maxBytes);
    }
    return bytes;
  }

  Result write(byte[] key, Operation operation) {
    return write(key, operation, deadline());
  }

  Result write(byte[] key, Operation operation, long deadline) {
    try {
      return callers.write(cache, key, limited(operation), deadline);
    } catch (NotAvailableException e) {
      throw notAvailable(e);
    } catch (IndeterminateException e) {
      throw indeterminate(e);
    }
  }

  /** Why it is not known how a write ended: if this node has failed, for that reason. */
  private IndeterminateException indeterminate(IndeterminateException seen) {
    String why = failure();
    return why == null ? seen : new IndeterminateException(why + "; " + seen.getMessage());
  }

  private GridException notAvailable(NotAvailableException seen) {
    String why = failure();
    return why == null ? seen : new GridException(why, seen);
  }

  /** Why this node has failed, null if it has not. That it is closed says nothing of a call. */
  private @Nullable String failure() {
    try {
      usable.run();
      return null;
    } catch (GridException e) {
      return e.getMessage();
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Writes, or removes for null, if the entry is still what was found. */
  boolean swap(byte[] key, Found found, byte @Nullable [] value, long deadline) {
    Slice slice = value == null ? null : Slice.of(value);
    return write(key, new Swap(found.epoch(), found.index(), slice), deadline).isTrue();
  }

  /** Writes many, as they are; {@code keys} makes an object of a key for an error to name it. */
  void write(Iterator<BulkWrites.KeyWrite> writes, Function<byte[], Object> keys) {
    usable.run();
    bulkWrites.write(cache, writes, keys);
  }

  /** The owners of a key's segment, the primary first. */
  List<String> owners(byte[] key) {
    usable.run();
    Topology topology = cache.awaitThere(callers.deadline());
    int place = cache.in(topology);
    long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
    int segment = KeyHash.segment(hash, topology.caches().get(place).segments().size());
    return topology.ownership(place, segment).owners().stream().map(Member::name).toList();
  }
}
