package io.cantle.core.operation;

import io.cantle.MergePolicy;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.codec.CaptureSnapshot;
import io.cantle.core.codec.Codec;
import io.cantle.core.codec.FunctionFailure;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.OperationResult;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates operations in which a user's function, or {@code equals}, decides the effect on an
 * entry. Objects are decoded anew each time, because a function may change its arguments.
 *
 * <p><b>Threading:</b> any thread; runs user code on the calling thread.
 */
record FunctionEvaluator(Codec codec, ConflictResolver conflictResolver) {
  /** Returns an evaluator for caches whose values are kept on disk. */
  FunctionEvaluator forDurableCaches() {
    return new FunctionEvaluator(codec.frozenOnly(), conflictResolver);
  }

  /**
   * Decides the effect; throws whatever the user code throws.
   *
   * @param cache the name of the cache
   * @param found the live entry, null for none; for a merge it may be a tombstone
   */
  CommandEffect decide(String cache, Operation operation, ByteSlice key, @Nullable Entry found) {
    CommandEffect builtIn = operation.decide(key, found);
    if (builtIn != null) {
      return builtIn;
    }
    return switch (operation) {
      case Operation.ApplyFunction apply -> {
        Object computed = compute(apply, key, found);
        if (computed != null) {
          yield Operation.ApplyFunction.effectOfValue(key, encodeValue(computed));
        }
        yield found == null
            ? CommandEffect.none(OperationResult.ABSENT)
            : CommandEffect.remove(key.toByteArray(), OperationResult.ABSENT, false);
      }
      case Operation.CompareAndSet compare -> {
        Object expectedValue = decodeValue(compare.expected());
        yield compare.decideByEquality(key, expectedValue.equals(decodeValue(found)));
      }
      case ConflictMerge merge -> decideMerge(cache, merge, key, found);
      case Operation.ExpiringWrite(Operation bare, Lifetime lifetime) ->
          decide(cache, bare, key, found).withLifetime(lifetime);
      case Operation.Put _,
          Operation.PutIfAbsent _,
          Operation.RemoveEntry _,
          Operation.Replace _,
          Operation.CompareVersionAndSet _,
          DivergenceProbe _ ->
          throw new IllegalStateException("no user code can decide the operation " + operation);
    };
  }

  private CommandEffect decideMerge(
      String cache, ConflictMerge merge, ByteSlice key, @Nullable Entry found) {
    MergePolicy.Merger merger = conflictResolver.customMerger();
    if (merger == null || found == null) {
      return Objects.requireNonNull(merge.decide(PartitionHandling.NEWER, key, found));
    }
    ByteSlice incoming = merge.value();
    Object value =
        merger.merge(
            cache,
            decodeKey(key),
            found.isTombstone() ? null : decodeValue(found),
            incoming == null ? null : decodeValue(incoming));
    return merge.applyDecision(key, found, value == null ? null : encodeValue(value));
  }

  private @Nullable Object compute(
      Operation.ApplyFunction apply, ByteSlice key, @Nullable Entry found) {
    CaptureSnapshot captures = new CaptureSnapshot();
    Object function = codec.decodeFunction(apply.function().toInput(), captures);
    Object computed = call(function, apply, key, found);
    captures.requireUnchanged();
    return computed;
  }

  // The kind says what the function is; any other object fails with a ClassCastException.
  @SuppressWarnings("unchecked")
  private @Nullable Object call(
      Object function, Operation.ApplyFunction apply, ByteSlice key, @Nullable Entry found) {
    return switch (apply.kind()) {
      case COMPUTE, COMPUTE_IF_PRESENT ->
          ((BiFunction<Object, @Nullable Object, @Nullable Object>) function)
              .apply(decodeKey(key), decodeValue(found));
      case REPLACE_ALL ->
          Objects.requireNonNull(
              ((BiFunction<Object, @Nullable Object, @Nullable Object>) function)
                  .apply(decodeKey(key), decodeValue(found)),
              "the function of replaceAll must not return null");
      case COMPUTE_IF_ABSENT ->
          ((Function<Object, @Nullable Object>) function).apply(decodeKey(key));
      case MERGE ->
          ((BiFunction<@Nullable Object, Object, @Nullable Object>) function)
              .apply(decodeValue(found), decodeValue(apply.argument()));
    };
  }

  private Object decodeKey(ByteSlice key) {
    return codec.decodeKey(key.bytes(), key.offset(), key.length());
  }

  private @Nullable Object decodeValue(@Nullable Entry found) {
    if (found == null) {
      return null;
    }
    return found.hasObjectsOnly()
        ? found.sharedValue()
        : codec.decodeValue(found.bytes(), found.valueOffset(), found.valueLength());
  }

  private Object decodeValue(ByteSlice value) {
    return codec.decodeValue(value.bytes(), value.offset(), value.length());
  }

  private ByteSlice encodeValue(Object value) {
    byte[] bytes;
    try {
      bytes = codec.encodeValue(value);
    } catch (IllegalArgumentException e) {
      throw FunctionFailure.unsendableResult(value, e);
    }
    if (bytes.length > Operation.MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "a function returned a value of "
              + bytes.length
              + " bytes; the limit in bytes is "
              + Operation.MAX_VALUE_BYTES);
    }
    return ByteSlice.of(bytes);
  }
}
