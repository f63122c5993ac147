package io.cantle.core.node;

import io.cantle.CacheConfig;
import io.cantle.CacheStatistics;
import io.cantle.ContainerKind;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Clock;
import io.cantle.core.base.Version;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EntryObjects;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.ArrayReader;
import io.cantle.core.operation.BulkReadClient;
import io.cantle.core.operation.BulkWriteClient;
import io.cantle.core.operation.LocalReader;
import io.cantle.core.operation.LocalWriter;
import io.cantle.core.operation.Operation;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.CompareVersionAndSet;
import io.cantle.core.operation.Operation.ExpiringWrite;
import io.cantle.core.operation.OperationClient;
import io.cantle.core.operation.ReadResult;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.transport.Member;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one cache as bytes.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ByteCache {
  static final int MAX_KEY_BYTES = 1 << 20;
  static final int MAX_VALUE_BYTES = Operation.MAX_VALUE_BYTES;

  /** The attempts of one call without a pause between them. */
  private static final int MAX_QUICK_ATTEMPTS = 16;

  private static final long FIRST_PAUSE_NANOS = 250_000;
  private static final int MAX_PAUSE_DOUBLINGS = 7;

  private final CacheResolver cacheResolver;
  private final OperationClient client;
  private final LocalReader localReader;
  private final ArrayReader arrayReader;
  private final LocalWriter localWriter;
  private final BulkReadClient bulkReadClient;
  private final BulkWriteClient bulkClient;
  private final ClosedNodeGuard guard;
  private final Clock clock;
  private final CacheMetrics metrics;

  private final boolean keepsObjects;
  private final boolean mayReplaceObjects;

  /** How long written values may live. */
  private final Lifetime lifetime;

  ByteCache(
      CacheResolver cacheResolver,
      OperationClient client,
      BulkReadClient bulkReadClient,
      BulkWriteClient bulkClient,
      ClosedNodeGuard guard,
      Clock clock,
      CacheMetrics metrics,
      Lifetime lifetime) {
    this.lifetime = lifetime;
    this.cacheResolver = cacheResolver;
    this.client = client;
    this.localReader = client.newLocalReader(cacheResolver);
    this.arrayReader = client.newArrayReader(cacheResolver);
    this.localWriter = client.newLocalWriter(cacheResolver);
    this.bulkReadClient = bulkReadClient;
    this.bulkClient = bulkClient;
    this.guard = guard;
    this.clock = clock;
    this.metrics = metrics;
    CacheConfig config = cacheResolver.definition().config();
    this.keepsObjects = config.container() == ContainerKind.OBJECTS;
    this.mayReplaceObjects = keepsObjects && !config.isBounded() && lifetime.isUnlimited();
  }

  private ByteCache(ByteCache original, Lifetime lifetime) {
    this.lifetime = lifetime;
    this.cacheResolver = original.cacheResolver;
    this.client = original.client;
    this.localReader = original.localReader;
    this.arrayReader = original.arrayReader;
    this.localWriter = original.localWriter;
    this.bulkReadClient = original.bulkReadClient;
    this.bulkClient = original.bulkClient;
    this.guard = original.guard;
    this.clock = original.clock;
    this.metrics = original.metrics;
    this.keepsObjects = original.keepsObjects;
    this.mayReplaceObjects = original.mayReplaceObjects && lifetime.isUnlimited();
  }

  void checkUsable() {
    guard.check();
  }

  /** Has calls say so if this node cannot be used. */
  ClosedNodeGuard guard() {
    return guard;
  }

  /** A view of the same entries whose written values have this lifetime. */
  ByteCache withLifetime(Lifetime newLifetime) {
    return new ByteCache(this, newLifetime);
  }

  Lifetime lifetime() {
    return lifetime;
  }

  /** Limits the lifetime of the value that an operation writes. */
  Operation applyLifetime(Operation operation) {
    return ExpiringWrite.of(operation, lifetime);
  }

  /** The deadline of a call that begins now. */
  long deadlineFromNow() {
    guard.check();
    return client.deadlineFromNow();
  }

  /** Whether there is no time left for another attempt. */
  boolean isPast(long deadline) {
    return clock.nanoTime() - deadline >= 0;
  }

  /**
   * Pauses after an attempt that other writes overtook. The first few are repeated at once.
   *
   * @param attempt its number, from 0
   */
  void pauseAfter(int attempt) {
    if (attempt >= MAX_QUICK_ATTEMPTS) {
      int doubled = Math.min(attempt - MAX_QUICK_ATTEMPTS, MAX_PAUSE_DOUBLINGS);
      clock.parkNanos(this, FIRST_PAUSE_NANOS << doubled);
    }
  }

  /** Runs a function here that decides the value of a key, and so must not write it. */
  <T extends @Nullable Object> T callFunction(byte[] key, Supplier<T> function) {
    return client.callFunction(cacheResolver, key, function);
  }

  /**
   * Reads a key if this node can answer for it at once.
   *
   * @param keyObject what the bytes encode, if nobody can change it; otherwise null
   * @return its entry, null if there is none, or {@link LocalReader#ELSEWHERE}; that read does not
   *     count
   */
  @Nullable Entry readHere(byte[] key, @Nullable Object keyObject) {
    guard.check();
    long beganNanos = metrics.beginRead();
    Entry found = localReader.find(key, keyObject);
    if (!isElsewhere(found)) {
      metrics.onRead(found != null, beganNanos);
    }
    return found;
  }

  /**
   * Reads a key by its object, without its bytes, if it was read before and the value may be given
   * to anybody; otherwise returns null, and the read does not count.
   */
  @Nullable Object readValueHere(Object key) {
    guard.check();
    long beganNanos = metrics.beginRead();
    Object found = localReader.findValue(key);
    if (found != null) {
      metrics.onRead(true, beganNanos);
    }
    return found;
  }

  /**
   * Copies the value of a key that lies off the heap here, if it is an array of bytes; otherwise
   * returns null, and the read does not count.
   */
  byte @Nullable [] readArrayHere(byte[] key) {
    if (!arrayReader.mayFind()) {
      return null;
    }
    guard.check();
    long beganNanos = metrics.beginRead();
    byte[] found = arrayReader.find(key);
    if (found != null) {
      metrics.onRead(true, beganNanos);
    }
    return found;
  }

  /** Notes a value that was read here another way, for {@link #readArrayHere}. */
  void onReadHere(Object value) {
    arrayReader.onOtherRead(value);
  }

  /** Whether a read that was tried here must ask other nodes, or wait. */
  @SuppressWarnings("ReferenceEquality") // It is one object.
  static boolean isElsewhere(@Nullable Entry found) {
    return found == LocalReader.ELSEWHERE;
  }

  ReadResult read(byte[] key, long deadline) {
    return read(key, true, deadline);
  }

  /** As {@link #read}, for a call that counts as a write and not as a read. */
  ReadResult readUncounted(byte[] key, long deadline) {
    return readUncounted(key, true, deadline);
  }

  boolean contains(byte[] key, @Nullable Object keyObject) {
    Entry found = readHere(key, keyObject);
    return isElsewhere(found) ? isPresentElsewhere(key) : found != null;
  }

  private boolean isPresentElsewhere(byte[] key) {
    return read(key, false, deadlineFromNow()).value().isPresent();
  }

  /** Reads many keys; the results are in their order. */
  List<OperationResult> readAll(List<byte[]> keys) {
    guard.check();
    try {
      List<OperationResult> found = bulkReadClient.readAll(cacheResolver, keys);
      metrics.onBulkRead(found);
      return found;
    } catch (NotAvailableException | RejectedExecutionException e) {
      throw guard.explain(e);
    }
  }

  private ReadResult read(byte[] key, boolean wantsValue, long deadline) {
    boolean isMeasured = metrics.isReadMeasured();
    ReadResult found = readUncounted(key, wantsValue, deadline);
    metrics.onRead(
        found.value().isPresent(),
        isMeasured ? client.startOf(deadline) : CacheMetrics.NOT_MEASURED);
    return found;
  }

  private ReadResult readUncounted(byte[] key, boolean wantsValue, long deadline) {
    try {
      return client.read(cacheResolver, key, wantsValue, deadline);
    } catch (NotAvailableException | RejectedExecutionException e) {
      throw guard.explain(e);
    }
  }

  /**
   * Refuses a key or value that would not fit into a message together with the value it replaces.
   */
  static byte[] checkLength(String what, byte[] bytes, int maxBytes) {
    checkLength(what, bytes.length, maxBytes);
    return bytes;
  }

  static void checkLength(String what, int bytes, int maxBytes) {
    if (bytes > maxBytes) {
      throw new IllegalArgumentException(
          "a " + what + " of " + bytes + " bytes is longer than the limit of " + maxBytes);
    }
  }

  OperationResult write(byte[] key, Operation operation) {
    return write(ByteSlice.of(key), null, operation, null);
  }

  /**
   * Executes an operation in a call that begins now.
   *
   * @param keyObject what the key encodes, if nobody can change it; otherwise null
   * @param writtenObject the object whose encoding the operation writes, if nobody can change it;
   *     otherwise null
   */
  OperationResult write(
      ByteSlice key,
      @Nullable Object keyObject,
      Operation operation,
      @Nullable Object writtenObject) {
    guard.check();
    long beganNanos = metrics.beginWrite();
    OperationResult here = writeHere(key, keyObject, operation, writtenObject);
    if (here != null) {
      metrics.onWrite(operation, beganNanos);
      return here;
    }
    long deadline = client.deadlineFromNow();
    OperationResult result = send(key, operation, writtenObject, deadline);
    metrics.onWrite(operation, client.startOf(deadline));
    return result;
  }

  /**
   * Executes an operation that writes a value which was not encoded, if this node can do so at once
   * and alone; otherwise returns null, and nothing was done.
   *
   * @param operation of an empty value
   */
  @Nullable OperationResult writeObjects(ByteSlice key, Operation operation, EntryObjects objects) {
    guard.check();
    long beganNanos = metrics.beginWrite();
    try {
      OperationResult here = localWriter.write(key, applyLifetime(operation), objects);
      if (here != null) {
        metrics.onWrite(operation, beganNanos);
      }
      return here;
    } catch (IndeterminateException e) {
      throw explainIndeterminate(e);
    }
  }

  /** Whether values may be replaced by {@link #replaceObjectHere}. */
  boolean mayReplaceObjects() {
    return mayReplaceObjects;
  }

  /**
   * Replaces the value of a key by its object, if this node can do so at once and alone, and the
   * key was found or written here before; otherwise returns null, and nothing was done.
   *
   * @param valueBytes what the value takes in the heap
   * @return the value before
   */
  @Nullable Object replaceObjectHere(Object key, Object value, int valueBytes) {
    guard.check();
    long beganNanos = metrics.beginWrite();
    try {
      Object before = localWriter.replaceObject(key, value, valueBytes);
      if (before != null) {
        metrics.onWrite(false, beganNanos);
      }
      return before;
    } catch (IndeterminateException e) {
      throw explainIndeterminate(e);
    }
  }

  /** Whether entries keep objects in the place of bytes where they can. */
  boolean keepsObjects() {
    return keepsObjects;
  }

  /** As the other {@code write}, in a call that began earlier and has this deadline. */
  OperationResult write(
      ByteSlice key, Operation operation, @Nullable Object writtenObject, long deadline) {
    OperationResult result = writeUncounted(key, operation, writtenObject, deadline);
    metrics.onWrite(operation, client.startOf(deadline));
    return result;
  }

  /** Executes an operation if this node can do so at once and alone; otherwise returns null. */
  private @Nullable OperationResult writeHere(
      ByteSlice key,
      @Nullable Object keyObject,
      Operation operation,
      @Nullable Object writtenObject) {
    try {
      return localWriter.write(key, keyObject, applyLifetime(operation), writtenObject);
    } catch (IndeterminateException e) {
      throw explainIndeterminate(e);
    }
  }

  private OperationResult writeUncounted(byte[] key, Operation operation, long deadline) {
    return writeUncounted(ByteSlice.of(key), operation, null, deadline);
  }

  private OperationResult writeUncounted(
      ByteSlice key, Operation operation, @Nullable Object writtenObject, long deadline) {
    OperationResult here = writeHere(key, null, operation, writtenObject);
    return here == null ? send(key, operation, writtenObject, deadline) : here;
  }

  private OperationResult send(
      ByteSlice key, Operation operation, @Nullable Object writtenObject, long deadline) {
    try {
      return client.write(cacheResolver, key, applyLifetime(operation), writtenObject, deadline);
    } catch (NotAvailableException | RejectedExecutionException e) {
      throw guard.explain(e);
    } catch (IndeterminateException e) {
      throw explainIndeterminate(e);
    }
  }

  /** Adds the reason if the outcome of a write is unknown because this node cannot be used. */
  private IndeterminateException explainIndeterminate(IndeterminateException cause) {
    String reason = guard.unusableReason();
    return reason == null ? cause : new IndeterminateException(reason + "; " + cause.getMessage());
  }

  /**
   * Writes, or removes if {@code value} is null, if the entry still has the version that was found.
   * It is one of the attempts of a call, which counts once, see {@link #countCall}.
   *
   * @param writtenObject the object that {@code value} encodes, if nobody can change it; otherwise
   *     null
   */
  boolean compareAndSet(
      byte[] key,
      ReadResult found,
      @Nullable ByteSlice value,
      @Nullable Object writtenObject,
      long deadline) {
    Version expected = new Version(found.epoch(), found.index());
    Operation operation = new CompareVersionAndSet(expected, value);
    return writeUncounted(ByteSlice.of(key), operation, writtenObject, deadline).isTrue();
  }

  /** As the other {@code compareAndSet}, if the entry still has the value that was found. */
  boolean compareAndSet(byte[] key, ByteSlice expected, ByteSlice value, long deadline) {
    return writeUncounted(key, new CompareAndSet(expected, value), deadline).isTrue();
  }

  /** Counts a call that has taken any number of operations, from its beginning until now. */
  void countCall(boolean isRemoval, long deadline) {
    metrics.onWrite(isRemoval, client.startOf(deadline));
  }

  /**
   * Writes many entries.
   *
   * @param isRemoval whether they are removed
   * @param keys makes of a key what an error names it by
   */
  void write(
      boolean isRemoval, Iterator<BulkWriteClient.KeyWrite> writes, Function<byte[], Object> keys) {
    guard.check();
    try {
      bulkClient.writeAll(
          cacheResolver, writes, keys, guard, count -> metrics.onBulkWrite(isRemoval, count));
    } catch (NotAvailableException | RejectedExecutionException e) {
      throw guard.explain(e);
    }
  }

  /** The figures of this node for the cache. */
  CacheStatistics statistics() {
    guard.check();
    // Its figures would be those of the next cache of the name.
    cacheResolver.requireNotDestroyed();
    return metrics.statistics();
  }

  /** The owners of a key's segment, the primary first. */
  List<String> owners(byte[] key) {
    guard.check();
    Topology topology;
    try {
      topology = cacheResolver.awaitCreated(client.deadlineFromNow());
    } catch (NotAvailableException e) {
      throw guard.explain(e);
    }
    int cacheIndex = cacheResolver.indexIn(topology);
    long hash = KeyHash.hash(topology.hashSeed(), key, 0, key.length);
    int segment = KeyHash.segment(hash, topology.caches().get(cacheIndex).segments().size());
    return topology.ownership(cacheIndex, segment).owners().stream().map(Member::name).toList();
  }
}
