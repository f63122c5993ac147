package io.cantle.core.node;

import io.cantle.CallTimeoutException;
import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.codec.DecodingErrors;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EntryObjects;
import io.cantle.core.container.ValueHints;
import io.cantle.core.operation.Operation;
import io.cantle.core.operation.Operation.ApplyFunction;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.PutIfAbsent;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.operation.ReadResult;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.stream.CacheStreamSource;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Calls in which user code decides: a function, or {@code equals}. Code that can be sent runs at
 * the primary, as {@link ApplyFunction} and {@link CompareAndSet}. Other code runs here: a read and
 * a {@link CompareVersionAndSet}, repeated until no other write comes between.
 *
 * <p><b>Design.</b> Objects come in and go out here, and what is below has bytes. A key and a value
 * are encoded into one array, which the entry keeps if it is written on this node. What is returned
 * is the object that is kept, if nobody can change it, and is decoded otherwise. In a cache that
 * keeps objects, a value that refers to no others is not encoded: key and value are passed on as
 * {@link EntryObjects}, and as bytes if this node cannot write at once and alone.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ComputeMethods<K, V> {
  /** The most keys that {@link #replaceAll} processes at once. */
  private static final int MAX_PARALLEL = 64;

  private static final ByteSlice NO_ARGUMENT = ByteSlice.of(new byte[0]);

  private final ByteCache byteCache;
  private final Codec codec;
  private final DecodedObjectCache objectCache;
  private final AsyncCallExecutor asyncCalls;
  private final CallerRunAdvice callerRuns;
  private final String nodeName;

  /**
   * Creates the calls of one cache.
   *
   * @param objectCache the decoded values of the entries that this node has
   * @param callerRuns what users are told of functions that do not run at the primary
   * @param nodeName this node, for messages
   */
  ComputeMethods(
      ByteCache byteCache,
      Codec codec,
      DecodedObjectCache objectCache,
      AsyncCallExecutor asyncCalls,
      CallerRunAdvice callerRuns,
      String nodeName) {
    this.byteCache = byteCache;
    this.codec = codec;
    this.objectCache = objectCache;
    this.asyncCalls = asyncCalls;
    this.callerRuns = callerRuns;
    this.nodeName = nodeName;
  }

  /** The same calls on another view of the cache. */
  ComputeMethods<K, V> over(ByteCache other) {
    return new ComputeMethods<>(other, codec, objectCache, asyncCalls, callerRuns, nodeName);
  }

  // ------------------------------------------------------------------ at the primary

  /** Encodes a function, or returns null when it cannot be sent. */
  @Nullable ByteSlice encodeFunction(Object function) {
    Output out = new Output(256);
    try {
      codec.encodeFunction(byteCache.guard().requireArgument(function, "function"), out);
    } catch (IllegalArgumentException e) {
      // It is not serializable, not allowed, or captures something that is not. It can still run
      // here.
      callerRuns.advise(function, () -> String.valueOf(e.getMessage()));
      return null;
    }
    if (out.position() > ApplyFunction.MAX_FUNCTION_BYTES) {
      int bytes = out.position();
      callerRuns.advise(
          function,
          () ->
              "it has %s bytes with what it captures, and the limit is %s"
                  .formatted(bytes, ApplyFunction.MAX_FUNCTION_BYTES));
      return null;
    }
    return new ByteSlice(out.array(), 0, out.position());
  }

  /** Says, once for each call site, that a function runs here because of its declared type. */
  void adviseOnPlainType(Object function) {
    callerRuns.advise(
        byteCache.guard().requireArgument(function, "function"),
        () -> "it has a plain type of java.util.function, which is not sent");
  }

  /**
   * Runs a function at the primary, or on this node if it cannot be sent.
   *
   * @param argument what is sent with the function, or null
   * @param local what the function does with a key and its present value, or null
   */
  @Nullable V compute(
      ApplyFunction.FunctionKind kind,
      K key,
      byte[] bytes,
      Object function,
      @Nullable ByteSlice argument,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> local) {
    ByteSlice sent = encodeFunction(function);
    return sent == null
        ? computeLocally(key, bytes, local)
        : decodeWritten(apply(kind, bytes, sent, argument, byteCache.deadlineFromNow()));
  }

  @Nullable V computeIfAbsent(
      K key, byte[] bytes, Function<? super K, ? extends @Nullable V> function) {
    ByteSlice sent = encodeFunction(function);
    if (sent == null) {
      return computeLocallyIfAbsent(key, bytes, function);
    }
    // If there is a value, this node often has it.
    Entry here = byteCache.readHere(bytes, shareable(key));
    long deadline = byteCache.deadlineFromNow();
    V present = decodeRead(here, bytes, deadline);
    if (present != null) {
      return present;
    }
    OperationResult result =
        apply(ApplyFunction.FunctionKind.COMPUTE_IF_ABSENT, bytes, sent, null, deadline);
    try {
      return decodeValue(result);
    } catch (MalformedException e) {
      throw DecodingErrors.onPresent(nodeName, e);
    }
  }

  private OperationResult apply(
      ApplyFunction.FunctionKind kind,
      byte[] key,
      ByteSlice function,
      @Nullable ByteSlice argument,
      long deadline) {
    ByteSlice added = argument == null ? NO_ARGUMENT : argument;
    Operation operation = new ApplyFunction(kind, function, added, FunctionChain.ofCaller());
    return byteCache.write(ByteSlice.of(key), operation, null, deadline);
  }

  /**
   * Replaces the value of a key, or removes it if {@code value} is null, if it is the expected one.
   */
  boolean replaceIfEqual(byte[] key, Object expected, @Nullable ByteSlice value) {
    byte[] bytes;
    try {
      bytes = codec.encodeValue(expected);
    } catch (IllegalArgumentException e) {
      // It cannot be stored in a cache, but may be equal to a stored value.
      return replaceLocallyIf(key, expected::equals, value);
    }
    return byteCache.write(key, new CompareAndSet(ByteSlice.of(bytes), value)).isTrue();
  }

  /** Applies a function to each of these keys, many at a time, until one of them fails. */
  void replaceAll(Iterator<byte[]> keys, ByteSlice function) {
    Operation operation =
        new ApplyFunction(
            ApplyFunction.FunctionKind.REPLACE_ALL,
            function,
            NO_ARGUMENT,
            FunctionChain.ofCaller());
    ReplaceAllProgress progress = new ReplaceAllProgress(byteCache.guard());
    Semaphore permits = new Semaphore(MAX_PARALLEL);
    try {
      while (!progress.hasFailed() && keys.hasNext()) {
        replaceAtPrimary(keys.next(), operation, progress, permits);
      }
    } catch (GridException | IllegalStateException e) {
      progress.recordFailure(e);
    } finally {
      // Each of the calls ends by its own deadline.
      permits.acquireUninterruptibly(MAX_PARALLEL);
    }
    progress.throwIfFailed();
  }

  /** Starts a call, which returns its permit however it ends. */
  private void replaceAtPrimary(
      byte[] key, Operation operation, ReplaceAllProgress progress, Semaphore permits) {
    permits.acquireUninterruptibly();
    CompletionStage<OperationResult> call;
    try {
      call = asyncCalls.run(() -> byteCache.write(key, operation));
    } catch (RuntimeException | Error notStarted) {
      permits.release();
      throw notStarted;
    }
    call.whenComplete(
        (result, thrown) -> {
          try {
            if (thrown == null) {
              progress.addReplaced();
            } else {
              boolean wrapped = thrown instanceof CompletionException;
              Throwable cause = wrapped ? thrown.getCause() : null;
              progress.recordFailure(codec.keyForError(key), cause == null ? thrown : cause);
            }
          } finally {
            permits.release();
          }
        });
  }

  /** Applies a function that cannot be sent to the value of each key, one after the other. */
  void replaceAllLocally(
      CacheStreamSource<K, V> streams, BiFunction<? super K, ? super V, ? extends V> function) {
    ReplaceAllProgress progress = new ReplaceAllProgress(byteCache.guard());
    BiFunction<K, @Nullable V, @Nullable V> replacing =
        ifPresent((key, value) -> Objects.requireNonNull(function.apply(key, value), "value"));
    try (CloseableIterator<Map.Entry<K, V>> entries = streams.entryIterator()) {
      while (entries.hasNext()) {
        Map.Entry<K, V> entry = entries.next();
        try {
          replaceLocally(entry.getKey(), entry.getValue(), replacing);
          progress.addReplaced();
        } catch (GridException | IllegalStateException e) {
          progress.recordFailure(entry.getKey(), e);
          throw e;
        }
      }
    } catch (GridException | IllegalStateException e) {
      progress.recordFailure(e);
    }
    progress.throwIfFailed();
  }

  private void replaceLocally(K key, V value, BiFunction<K, @Nullable V, @Nullable V> replacing) {
    byte[] bytes = codec.encodeKey(key);
    long deadline = byteCache.deadlineFromNow();
    V computed = byteCache.callFunction(bytes, () -> replacing.apply(key, value));
    ByteSlice expected = ByteSlice.of(codec.encodeValue(value));
    // It has just been read, so it is mostly still there, and need not be read again.
    if (byteCache.compareAndSet(bytes, expected, encodeValue(computed), deadline)) {
      byteCache.countCall(false, deadline);
    } else {
      computeLocally(key, bytes, replacing, deadline);
    }
  }

  // ------------------------------------------------------------------ on this node

  private boolean replaceLocallyIf(
      byte[] key, Predicate<Object> matches, @Nullable ByteSlice value) {
    long deadline = byteCache.deadlineFromNow();
    do {
      ReadResult found = byteCache.readUncounted(key, deadline);
      V present = decodeRead(found);
      boolean isEqual = present != null && matches.test(present);
      if (!isEqual || byteCache.compareAndSet(key, found, value, null, deadline)) {
        byteCache.countCall(value == null, deadline);
        return isEqual;
      }
    } while (!byteCache.isPast(deadline));
    throw contendedException();
  }

  @Nullable V computeLocally(
      K key,
      byte[] bytes,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    return computeLocally(key, bytes, function, byteCache.deadlineFromNow());
  }

  private @Nullable V computeLocally(
      K key,
      byte[] bytes,
      BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function,
      long deadline) {
    int attempt = 0;
    do {
      ReadResult found = byteCache.readUncounted(bytes, deadline);
      V present = decodeRead(found);
      V computed = byteCache.callFunction(bytes, () -> function.apply(key, present));
      boolean changesNothing = computed == null && present == null;
      ByteSlice value = computed == null ? null : encodeValue(computed);
      if (changesNothing
          || byteCache.compareAndSet(
              bytes, found, value, computed == null ? null : shareable(computed), deadline)) {
        // It counts as it does at the primary, whose answer does not tell a removal.
        byteCache.countCall(false, deadline);
        return computed;
      }
      byteCache.pauseAfter(attempt++);
    } while (!byteCache.isPast(deadline));
    throw contendedException();
  }

  /** What {@code computeIfPresent} makes of a present value or null. */
  static <K, V> BiFunction<K, @Nullable V, @Nullable V> ifPresent(
      BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    return (key, present) -> present == null ? null : function.apply(key, present);
  }

  /** What {@code merge} makes of a present value or null. */
  static <K, V> BiFunction<K, @Nullable V, @Nullable V> merging(
      V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    return (key, present) -> present == null ? value : function.apply(present, value);
  }

  /** As the other {@code computeIfAbsent}, for a function of a plain type. */
  @Nullable V computePlainIfAbsent(
      K key, byte[] bytes, Function<? super K, ? extends @Nullable V> function) {
    byteCache.guard().requireArgument(function, "function");
    return computeLocallyIfAbsent(
        key,
        bytes,
        absent -> {
          // Most calls find a value; they are not to pay for advice.
          adviseOnPlainType(function);
          return function.apply(absent);
        });
  }

  @Nullable V computeLocallyIfAbsent(
      K key, byte[] bytes, Function<? super K, ? extends @Nullable V> function) {
    Entry here = byteCache.readHere(bytes, shareable(key));
    long deadline = byteCache.deadlineFromNow();
    V present = decodeRead(here, bytes, deadline);
    if (present != null) {
      return present;
    }
    V computed = byteCache.callFunction(bytes, () -> function.apply(key));
    if (computed == null) {
      byteCache.countCall(false, deadline);
      return null;
    }
    PutIfAbsent operation = new PutIfAbsent(encodeValue(computed));
    V earlier =
        decodeRead(byteCache.write(ByteSlice.of(bytes), operation, shareable(computed), deadline));
    return earlier == null ? computed : earlier;
  }

  private static CallTimeoutException contendedException() {
    return new CallTimeoutException(
        "other calls, or the function itself by way of another thread, kept changing the entry"
            + " between reading and writing it until the timeout; it was not written, trying again"
            + " is safe");
  }

  // ------------------------------------------------------------------ objects and bytes

  ByteSlice encodeValue(@Nullable Object value) {
    byte[] bytes = codec.encodeValue(byteCache.guard().requireArgument(value, "value"));
    return ByteSlice.of(ByteCache.checkLength("value", bytes, ByteCache.MAX_VALUE_BYTES));
  }

  /**
   * Executes an operation that writes a value. Key and value are encoded into one array, which the
   * entry keeps if it is written here.
   *
   * @param operation makes the operation of the encoded value
   */
  OperationResult write(
      @Nullable Object key, @Nullable Object value, Function<ByteSlice, Operation> operation) {
    Object givenKey = byteCache.guard().requireArgument(key, "key");
    if (value != null && byteCache.keepsObjects()) {
      OperationResult written = writeObjects(givenKey, value, operation);
      if (written != null) {
        return written;
      }
    }
    Output out =
        new Output(
            Codec.expectedBytes(givenKey) + (value == null ? 0 : Codec.expectedBytes(value)));
    codec.encodeKey(givenKey, out);
    int keyLength = out.position();
    ByteCache.checkLength("key", keyLength, ByteCache.MAX_KEY_BYTES);
    Object givenValue = byteCache.guard().requireArgument(value, "value");
    codec.encodeValue(givenValue, out);
    int valueLength = out.position() - keyLength;
    ByteCache.checkLength("value", valueLength, ByteCache.MAX_VALUE_BYTES);
    byte[] bytes = out.finish();
    return byteCache.write(
        new ByteSlice(bytes, 0, keyLength),
        shareable(givenKey),
        operation.apply(new ByteSlice(bytes, keyLength, valueLength)),
        shareable(givenValue));
  }

  /** Puts a value; returns the one before. */
  @SuppressWarnings("unchecked") // The value stored under a K was put as a V.
  @Nullable V put(K key, V value) {
    V before = byteCache.mayReplaceObjects() ? (V) replaceObject(key, value) : null;
    return before == null
        ? decodeWritten(write(key, value, bytes -> new Put(bytes, false)))
        : before;
  }

  private @Nullable Object replaceObject(@Nullable Object key, @Nullable Object value) {
    if (key == null || value == null || !ValueHints.accepts(key)) {
      return null;
    }
    int valueBytes = objectCache.heapBytesUnencoded(value);
    return valueBytes < 0 ? null : byteCache.replaceObjectHere(key, value, valueBytes);
  }

  /** Removes a key; returns its value. */
  @Nullable V remove(Object keyObject, byte[] key) {
    return decodeWritten(
        byteCache.write(ByteSlice.of(key), shareable(keyObject), new RemoveEntry(false), null));
  }

  /** Writes a value that nobody can change without encoding it; returns null if it must be. */
  private @Nullable OperationResult writeObjects(
      Object key, Object value, Function<ByteSlice, Operation> operation) {
    if (objectCache.heapBytesUnencoded(value) < 0) {
      return null;
    }
    byte[] bytes = ByteCache.checkLength("key", codec.encodeKey(key), ByteCache.MAX_KEY_BYTES);
    EntryObjects objects = objectCache.objectsOf(key, value);
    if (objects == null) {
      return null;
    }
    ByteSlice nothing = new ByteSlice(bytes, bytes.length, 0);
    return byteCache.writeObjects(ByteSlice.of(bytes), operation.apply(nothing), objects);
  }

  /** A key or value that an entry may keep and give to all; null if somebody could change it. */
  @Nullable Object shareable(Object object) {
    return codec.isImmutable(object) ? object : null;
  }

  /** Reads a key without its bytes, if that is possible; otherwise returns null. */
  @SuppressWarnings("unchecked") // The value stored under a K was put as a V.
  @Nullable V getByObject(Object key) {
    return ValueHints.accepts(key) ? (V) byteCache.readValueHere(key) : null;
  }

  /** Reads a key. */
  @SuppressWarnings("unchecked") // The value stored under a K was put as a V.
  @Nullable V get(Object keyObject, byte[] key) {
    byte[] array = byteCache.readArrayHere(key);
    if (array != null) {
      return (V) array;
    }
    Entry here = byteCache.readHere(key, shareable(keyObject));
    if (ByteCache.isElsewhere(here)) {
      return decodeRead(here, key, byteCache.deadlineFromNow());
    }
    if (here == null) {
      return null;
    }
    V value = decodeRead(here);
    byteCache.onReadHere(value);
    return value;
  }

  /** Returns what a read here has found, or reads elsewhere until a deadline. */
  private @Nullable V decodeRead(@Nullable Entry here, byte[] key, long deadline) {
    if (ByteCache.isElsewhere(here)) {
      return decodeRead(byteCache.read(key, deadline));
    }
    return here == null ? null : decodeRead(here);
  }

  /** Returns what was read: the object that is kept of it, or a new one. */
  @Nullable V decodeRead(ReadResult found) {
    Entry entry = found.entry();
    return entry == null ? decodeRead(found.value()) : decodeRead(entry);
  }

  @SuppressWarnings("unchecked") // The value stored under a K was put as a V.
  private V decodeRead(Entry entry) {
    try {
      return (V) objectCache.valueForCaller(entry);
    } catch (MalformedException e) {
      throw DecodingErrors.onRead(nodeName, e);
    }
  }

  /** Decodes what was read, or found by a write that therefore was not made. */
  @Nullable V decodeRead(OperationResult result) {
    try {
      return decodeValue(result);
    } catch (MalformedException e) {
      throw DecodingErrors.onRead(nodeName, e);
    }
  }

  /** Decodes what a write returns that was made. */
  @Nullable V decodeWritten(OperationResult result) {
    try {
      return decodeValue(result);
    } catch (MalformedException e) {
      throw DecodingErrors.onWritten(nodeName, e);
    }
  }

  @SuppressWarnings("unchecked") // The value stored under a K was put as a V.
  private @Nullable V decodeValue(OperationResult result) {
    if (result.shared() != null) {
      return (V) result.shared();
    }
    return result.hasValue()
        ? (V) codec.decodeValue(result.bytes(), result.offset(), result.length())
        : null;
  }
}
