package io.cantle.core.operation;

import io.cantle.IndeterminateException;
import io.cantle.core.agreement.Lease;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.container.Entry;
import io.cantle.core.container.EntryObjects;
import io.cantle.core.container.ValueHints;
import io.cantle.core.replica.CommandDecision;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.ReplicaContext;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes keys of one cache where nothing but this node has a part in it: it is the only voter, and
 * the only writer of the segment. That is every write to a local cache. The calling thread executes
 * the operation, and has the result at once, without a number in a session and without a deadline.
 *
 * <p>Any other write, and one that meets a value on disk, a function of the user or an error, is
 * left to {@link OperationClient}, before anything was done.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LocalWriter {
  private final CacheReplicas cacheReplicas;
  private final WriteHandler writeHandler;
  private final Lease lease;
  private final BooleanSupplier mayWrite;

  LocalWriter(CacheResolver cacheResolver, ReplicaContext context, WriteHandler writeHandler) {
    this.cacheReplicas = new CacheReplicas(cacheResolver, context);
    this.writeHandler = writeHandler;
    this.lease = context.topologyDriver().lease();
    this.mayWrite = lease::isHeld;
  }

  /**
   * Executes an operation.
   *
   * @param keyObject what the key encodes, if nobody can change it; otherwise null
   * @param writtenObject the object whose encoding the operation writes, if nobody can change it;
   *     otherwise null
   * @return the result; null if nothing was done
   * @throws io.cantle.CacheDestroyedException if the cache was destroyed
   * @throws IndeterminateException if this node was closed meanwhile
   */
  public @Nullable OperationResult write(
      ByteSlice key,
      @Nullable Object keyObject,
      Operation operation,
      @Nullable Object writtenObject) {
    return write(key, new LocalDecision(key, keyObject, operation, writtenObject, null));
  }

  /**
   * As the other {@code write}, of an operation whose value was not encoded: the entry keeps the
   * objects.
   *
   * @param operation of an empty value
   */
  public @Nullable OperationResult write(ByteSlice key, Operation operation, EntryObjects objects) {
    return write(key, new LocalDecision(key, objects.key(), operation, objects.value(), objects));
  }

  /**
   * Replaces the value of a key that was found or written here before, and whose entry keeps
   * objects only. Neither key nor value is encoded.
   *
   * @param key of a class that {@link ValueHints} accepts
   * @param value can be kept without bytes
   * @param valueBytes what it takes in the heap
   * @return the value before; null if nothing was done
   * @throws IndeterminateException if this node was closed meanwhile
   */
  public @Nullable Object replaceObject(Object key, Object value, int valueBytes) {
    CacheReplicas.OfTopology known = cacheReplicas.latest();
    Entry entry = known == null ? null : known.hints().findEntry(key);
    if (known == null || entry == null || !mayWrite() || !cacheReplicas.isCurrent(known)) {
      return null;
    }
    FunctionChain.checkMayWrite(known.topology().gridId(), known.cache(), entry.hash());
    Object before =
        known
            .replicaOf(entry.hash())
            .directExecution()
            .replaceObject(key, entry, value, valueBytes);
    if (before != null) {
      requireLease();
    }
    return before;
  }

  private boolean mayWrite() {
    return lease.isHeldEndlessly()
        && !Thread.currentThread().isInterrupted()
        && writeHandler.acceptsWrites();
  }

  private @Nullable OperationResult write(ByteSlice key, LocalDecision decision) {
    if (!mayWrite()) {
      return null;
    }
    CacheReplicas.OfTopology known = cacheReplicas.current();
    if (known == null) {
      return null;
    }
    long hash = known.hash(key.bytes(), key.offset(), key.length());
    FunctionChain.checkMayWrite(known.topology().gridId(), known.cache(), hash);
    Replica replica = known.replicaOf(hash);
    writeHandler.expireDue(replica);
    if (!cacheReplicas.isCurrent(known)) {
      return null;
    }
    OperationResult result =
        replica
            .directExecution()
            .execute(mayWrite, hash, key.bytes(), key.offset(), key.length(), decision);
    if (result == null) {
      return null;
    }
    writeHandler.finishDirect(replica);
    requireLease();
    return result;
  }

  private void requireLease() {
    if (!lease.isHeld()) {
      throw new IndeterminateException(
          "this node stopped answering during a write; it may have been made: read the key to find"
              + " out");
    }
  }

  private record LocalDecision(
      ByteSlice key,
      @Nullable Object keyObject,
      Operation operation,
      @Nullable Object writtenObject,
      @Nullable EntryObjects objects)
      implements CommandDecision {
    @Override
    public CommandEffect decide(@Nullable Entry found) {
      CommandEffect effect = operation.decide(key, found);
      return effect == null ? CommandEffect.undecided() : effect;
    }

    @Override
    public boolean ignoresValue() {
      return operation.ignoresValue();
    }
  }
}
