package io.cantle.core.node;

import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.operation.ApplyFunction;
import io.cantle.core.operation.CompareAndSet;
import io.cantle.core.operation.Operation;
import io.cantle.core.operation.PutIfAbsent;
import io.cantle.core.operation.ReadResult;
import io.cantle.core.replica.OperationResult;
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
 * at the primary, as {@link ApplyFunction} and {@link CompareAndSet}. What cannot is a read and a
 * {@link io.cantle.core.operation.CompareVersionAndSet} from here, tried until nobody came between.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ComputeMethods<K, V> {
  /** How many keys {@link #replaceAll} is at work on at once. */
  private static final int MAX_PARALLEL = 64;

  private static final ByteSlice NO_ARGUMENT = ByteSlice.of(new byte[0]);

  private final ByteCache byteCache;
  private final Codec codec;
  private final AsyncCallExecutor asyncCalls;

  ComputeMethods(ByteCache byteCache, Codec codec, AsyncCallExecutor asyncCalls) {
    this.byteCache = byteCache;
    this.codec = codec;
    this.asyncCalls = asyncCalls;
  }

  // ------------------------------------------------------------------ at the primary

  /** The function as bytes, or null when it cannot be sent. */
  @Nullable ByteSlice encodeFunction(Object function) {
    Output out = new Output(256);
    try {
      codec.encodeFunction(Objects.requireNonNull(function, "function"), out);
    } catch (IllegalArgumentException e) {
      // Not serializable, not allowed, or captures what is not: it can still run here.
      return null;
    }
    return out.position() > ApplyFunction.MAX_FUNCTION_BYTES
        ? null
        : new ByteSlice(out.array(), 0, out.position());
  }

  @Nullable V apply(
      ApplyFunction.Kind kind, byte[] key, ByteSlice function, byte @Nullable [] argument) {
    return apply(kind, key, function, argument, byteCache.deadlineFromNow());
  }

  @Nullable V applyIfAbsent(byte[] key, ByteSlice function) {
    long deadline = byteCache.deadlineFromNow();
    // What is there, as a rule, is often there on this node.
    V present = decodeValue(byteCache.read(key, deadline).value());
    return present != null
        ? present
        : apply(ApplyFunction.Kind.COMPUTE_IF_ABSENT, key, function, null, deadline);
  }

  private @Nullable V apply(
      ApplyFunction.Kind kind,
      byte[] key,
      ByteSlice function,
      byte @Nullable [] argument,
      long deadline) {
    ByteSlice added = argument == null ? NO_ARGUMENT : ByteSlice.of(argument);
    return decodeValue(byteCache.write(key, new ApplyFunction(kind, function, added), deadline));
  }

  /** Replaces or, for null, removes the value of a key if it is the expected one. */
  boolean replaceIfEqual(byte[] key, Object expected, byte @Nullable [] value) {
    byte[] bytes;
    try {
      bytes = codec.encodeValue(expected);
    } catch (IllegalArgumentException e) {
      // It cannot lie in a cache, and may yet be equal to what does.
      return replaceLocallyIf(key, expected::equals, value);
    }
    ByteSlice slice = value == null ? null : ByteSlice.of(value);
    return byteCache.write(key, new CompareAndSet(ByteSlice.of(bytes), slice)).isTrue();
  }

  /** Applies a function to each of these keys, many at a time, until one of them fails. */
  void replaceAll(Iterator<byte[]> keys, ByteSlice function) {
    Operation operation = new ApplyFunction(ApplyFunction.Kind.REPLACE_ALL, function, NO_ARGUMENT);
    ReplaceAllProgress progress = new ReplaceAllProgress();
    Semaphore permits = new Semaphore(MAX_PARALLEL);
    try {
      while (!progress.hasFailed() && keys.hasNext()) {
        byte[] key = keys.next();
        permits.acquireUninterruptibly();
        asyncCalls
            .run(() -> byteCache.write(key, operation))
            .whenComplete(
                (result, thrown) -> {
                  if (thrown == null) {
                    progress.addReplaced();
                  } else {
                    boolean wrapped = thrown instanceof CompletionException;
                    Throwable cause = wrapped ? thrown.getCause() : null;
                    progress.recordFailure(decodeKey(key), cause == null ? thrown : cause);
                  }
                  permits.release();
                });
      }
    } catch (GridException e) {
      progress.recordFailure(e);
    } finally {
      // Each of them ends by its own deadline.
      permits.acquireUninterruptibly(MAX_PARALLEL);
    }
    progress.throwIfFailed();
  }

  /** Applies a function that cannot be sent to each value, one after the other. */
  void replaceAllLocally(
      ConcurrentMap<K, V> map, BiFunction<? super K, ? super V, ? extends V> function) {
    ReplaceAllProgress progress = new ReplaceAllProgress();
    try {
      map.forEach(
          (key, value) -> {
            try {
              V currentValue = value;
              while (currentValue != null
                  && !map.replace(key, currentValue, function.apply(key, currentValue))) {
                currentValue = map.get(key);
              }
              progress.addReplaced();
            } catch (GridException e) {
              progress.recordFailure(key, e);
              throw e;
            }
          });
    } catch (GridException e) {
      progress.recordFailure(e);
    }
    progress.throwIfFailed();
  }

  // ------------------------------------------------------------------ here

  private boolean replaceLocallyIf(byte[] key, Predicate<Object> matches, byte @Nullable [] value) {
    long deadline = byteCache.deadlineFromNow();
    do {
      ReadResult found = byteCache.read(key, deadline);
      V present = decodeValue(found.value());
      if (present == null || !matches.test(present)) {
        return false;
      }
      if (byteCache.compareAndSet(key, found, value, deadline)) {
        return true;
      }
    } while (!byteCache.isPast(deadline));
    throw contendedException();
  }

  @Nullable V computeLocally(
      K key,
      byte[] bytes,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    long deadline = byteCache.deadlineFromNow();
    do {
      ReadResult found = byteCache.read(bytes, deadline);
      V present = decodeValue(found.value());
      V computed = function.apply(key, present);
      if (computed == null && present == null) {
        return null;
      }
      byte[] value = computed == null ? null : encodeValue(computed);
      if (byteCache.compareAndSet(bytes, found, value, deadline)) {
        return computed;
      }
    } while (!byteCache.isPast(deadline));
    throw contendedException();
  }

  @Nullable V computeLocallyIfAbsent(
      K key, byte[] bytes, Function<? super K, ? extends @Nullable V> function) {
    long deadline = byteCache.deadlineFromNow();
    V present = decodeValue(byteCache.read(bytes, deadline).value());
    if (present != null) {
      return present;
    }
    V computed = function.apply(key);
    if (computed == null) {
      return null;
    }
    PutIfAbsent operation = new PutIfAbsent(ByteSlice.of(encodeValue(computed)));
    V earlier = decodeValue(byteCache.write(bytes, operation, deadline));
    return earlier == null ? computed : earlier;
  }

  private static CallTimeoutException contendedException() {
    return new CallTimeoutException(
        "others changed the entry between reading and writing it until time was up; it was not"
            + " written, trying again is safe");
  }

  // ------------------------------------------------------------------ objects and bytes

  Object decodeKey(byte[] key) {
    return codec.decodeKey(key, 0, key.length);
  }

  byte[] encodeValue(@Nullable Object value) {
    return ByteCache.checkLength(
        "value",
        codec.encodeValue(Objects.requireNonNull(value, "value")),
        ByteCache.MAX_VALUE_BYTES);
  }

  @SuppressWarnings("unchecked") // What is stored under K was put as V.
  @Nullable V decodeValue(OperationResult result) {
    return result.hasValue()
        ? (V) codec.decodeValue(result.bytes(), result.offset(), result.length())
        : null;
  }
}
