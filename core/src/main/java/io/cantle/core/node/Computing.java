package io.cantle.core.node;

import io.cantle.GridException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.codec.Codec;
import io.cantle.core.operate.Apply;
import io.cantle.core.operate.Compare;
import io.cantle.core.operate.Found;
import io.cantle.core.operate.Operation;
import io.cantle.core.operate.PutIfAbsent;
import io.cantle.core.replica.Result;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Calls in which code of the user's decides: a function, or {@code equals}. What can be sent runs
 * at the primary, as {@link Apply} and {@link Compare}. What cannot is a read and a {@link
 * io.cantle.core.operate.Swap} from here, tried until nobody came between.
 *
 * <p><b>Threading:</b> any thread.
 */
final class Computing<K, V> {
  /** How many keys {@link #replaceAll} is at work on at once. */
  private static final int PARALLEL = 64;

  private static final Slice NOTHING = Slice.of(new byte[0]);

  private final Entries entries;
  private final Codec codec;
  private final AsyncCalls asyncCalls;

  Computing(Entries entries, Codec codec, AsyncCalls asyncCalls) {
    this.entries = entries;
    this.codec = codec;
    this.asyncCalls = asyncCalls;
  }

  // ------------------------------------------------------------------ at the primary

  /** The function as bytes, or null when it cannot be sent. */
  @Nullable Slice sendable(Object function) {
    Output out = new Output(256);
    try {
      codec.encodeFunction(Objects.requireNonNull(function, "function"), out);
    } catch (IllegalArgumentException e) {
      // Not serializable, not allowed, or captures what is not: it can still run here.
      return null;
    }
    return out.position() > Apply.MAX_FUNCTION_BYTES
        ? null
        : new Slice(out.array(), 0, out.position());
  }

  @Nullable V apply(Apply.Kind kind, byte[] key, Slice function, byte @Nullable [] argument) {
    return apply(kind, key, function, argument, entries.deadline());
  }

  @Nullable V applyIfAbsent(byte[] key, Slice function) {
    long deadline = entries.deadline();
    // What is there, as a rule, is often there on this node.
    V present = value(entries.read(key, deadline).value());
    return present != null
        ? present
        : apply(Apply.Kind.COMPUTE_IF_ABSENT, key, function, null, deadline);
  }

  private @Nullable V apply(
      Apply.Kind kind, byte[] key, Slice function, byte @Nullable [] argument, long deadline) {
    Slice added = argument == null ? NOTHING : Slice.of(argument);
    return value(entries.write(key, new Apply(kind, function, added), deadline));
  }

  /** Replaces or, for null, removes the value of a key if it is the expected one. */
  boolean swapIf(byte[] key, Object expected, byte @Nullable [] value) {
    byte[] bytes;
    try {
      bytes = codec.encodeValue(expected);
    } catch (IllegalArgumentException e) {
      // It cannot lie in a cache, and may yet be equal to what does.
      return swapHereIf(key, expected::equals, value);
    }
    Slice slice = value == null ? null : Slice.of(value);
    return entries.write(key, new Compare(Slice.of(bytes), slice)).isTrue();
  }

  /** Applies a function to each of these keys, many at a time, until one of them fails. */
  void replaceAll(Iterator<byte[]> keys, Slice function) {
    Operation operation = new Apply(Apply.Kind.REPLACE_ALL, function, NOTHING);
    Replaced replaced = new Replaced();
    Semaphore room = new Semaphore(PARALLEL);
    try {
      while (!replaced.hasFailed() && keys.hasNext()) {
        byte[] key = keys.next();
        room.acquireUninterruptibly();
        asyncCalls
            .run(() -> entries.write(key, operation))
            .whenComplete(
                (result, thrown) -> {
                  if (thrown == null) {
                    replaced.written();
                  } else {
                    boolean wrapped = thrown instanceof CompletionException;
                    Throwable cause = wrapped ? thrown.getCause() : null;
                    replaced.failed(key(key), cause == null ? thrown : cause);
                  }
                  room.release();
                });
      }
    } catch (GridException e) {
      replaced.failed(e);
    } finally {
      // Each of them ends by its own deadline.
      room.acquireUninterruptibly(PARALLEL);
    }
    replaced.check();
  }

  /** Applies a function that cannot be sent to each value, one after the other. */
  void replaceAllHere(
      ConcurrentMap<K, V> map, BiFunction<? super K, ? super V, ? extends V> function) {
    Replaced replaced = new Replaced();
    try {
      map.forEach(
          (key, value) -> {
            try {
              V seen = value;
              while (seen != null && !map.replace(key, seen, function.apply(key, seen))) {
                seen = map.get(key);
              }
              replaced.written();
            } catch (GridException e) {
              replaced.failed(key, e);
              throw e;
            }
          });
    } catch (GridException e) {
      replaced.failed(e);
    }
    replaced.check();
  }

  // ------------------------------------------------------------------ here

  private boolean swapHereIf(byte[] key, Predicate<Object> wanted, byte @Nullable [] value) {
    long deadline = entries.deadline();
    do {
      Found found = entries.read(key, deadline);
      V present = value(found.value());
      if (present == null || !wanted.test(present)) {
        return false;
      }
      if (entries.swap(key, found, value, deadline)) {
        return true;
      }
    } while (!entries.passed(deadline));
    throw contended();
  }

  @Nullable V computeHere(
      K key,
      byte[] bytes,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    long deadline = entries.deadline();
    do {
      Found found = entries.read(bytes, deadline);
      V present = value(found.value());
      V computed = function.apply(key, present);
      if (computed == null && present == null) {
        return null;
      }
      byte[] value = computed == null ? null : encoded(computed);
      if (entries.swap(bytes, found, value, deadline)) {
        return computed;
      }
    } while (!entries.passed(deadline));
    throw contended();
  }

  @Nullable V computeHereIfAbsent(
      K key, byte[] bytes, Function<? super K, ? extends @Nullable V> function) {
    long deadline = entries.deadline();
    V present = value(entries.read(bytes, deadline).value());
    if (present != null) {
      return present;
    }
    V computed = function.apply(key);
    if (computed == null) {
      return null;
    }
    PutIfAbsent operation = new PutIfAbsent(Slice.of(encoded(computed)));
    V earlier = value(entries.write(bytes, operation, deadline));
    return earlier == null ? computed : earlier;
  }

  private static TimeoutException contended() {
    return new TimeoutException(
        "others changed the entry between reading and writing it until time was up; it was not"
            + " written, trying again is safe");
  }

  // ------------------------------------------------------------------ objects and bytes

  Object key(byte[] key) {
    return codec.decodeKey(key, 0, key.length);
  }

  byte[] encoded(@Nullable Object value) {
    return Entries.checked(
        "value",
        codec.encodeValue(Objects.requireNonNull(value, "value")),
        Entries.MAX_VALUE_BYTES);
  }

  @SuppressWarnings("unchecked") // What is stored under K was put as V.
  @Nullable V value(Result result) {
    return result.hasValue()
        ? (V) codec.decodeValue(result.bytes(), result.offset(), result.length())
        : null;
  }
}
