package io.cantle.core.operate;

import io.cantle.MergePolicy;
import io.cantle.core.base.Input;
import io.cantle.core.base.Slice;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Result;
import io.cantle.core.topology.Mode;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an operation does to an entry where a function of the user's, or {@code equals}, decides.
 * The objects are decoded anew each time: a function may change what it is given.
 *
 * <p><b>Threading:</b> any thread; runs what the user wrote on the calling one.
 */
final class UserCode {
  private final Codec codec;
  private final Conflicts conflicts;

  UserCode(Codec codec, Conflicts conflicts) {
    this.codec = codec;
    this.conflicts = conflicts;
  }

  /** The same where values are kept on disk. */
  UserCode lasting() {
    return new UserCode(codec.lasting(), conflicts);
  }

  /**
   * Decides; throws whatever the user's code throws.
   *
   * @param cache the name of the cache
   * @param found the live entry, null for none; for a merge a tombstone, too
   */
  Effect decide(String cache, Operation operation, Slice key, @Nullable Entry found) {
    Effect simple = operation.decide(key, found);
    if (simple != null) {
      return simple;
    }
    return switch (operation) {
      case Apply apply -> {
        Object computed = computed(apply, key, found);
        if (computed != null) {
          yield Apply.written(key, encoded(computed));
        }
        yield found == null
            ? Effect.none(Result.ABSENT)
            : Effect.remove(key.toByteArray(), Result.ABSENT, false);
      }
      case Compare compare -> {
        Slice expected = compare.expected();
        Object wanted = decoded(expected.bytes(), expected.offset(), expected.length());
        yield compare.decided(key, wanted.equals(value(found)));
      }
      case Merge merge -> merged(cache, merge, key, found);
      case Limited(Operation bare, Lifetime lifetime) ->
          decide(cache, bare, key, found).lasting(lifetime);
      default -> throw new IllegalStateException("no code of the user's is in a " + operation);
    };
  }

  private Effect merged(String cache, Merge merge, Slice key, @Nullable Entry found) {
    MergePolicy.Merger merger = conflicts.merger();
    if (merger == null || found == null) {
      return Objects.requireNonNull(merge.decide(Mode.NEWER, key, found));
    }
    Slice theirs = merge.value();
    Object value =
        merger.merge(
            cache,
            key(key),
            found.tombstone() ? null : value(found),
            theirs == null ? null : decoded(theirs.bytes(), theirs.offset(), theirs.length()));
    return merge.decided(key, found, value == null ? null : encoded(value));
  }

  // The kind says what the function is; what else was sent fails with a ClassCastException.
  @SuppressWarnings("unchecked")
  private @Nullable Object computed(Apply apply, Slice key, @Nullable Entry found) {
    Slice bytes = apply.function();
    Object function =
        codec.decodeFunction(new Input(bytes.bytes(), bytes.offset(), bytes.length()));
    Slice argument = apply.argument();
    return switch (apply.kind()) {
      case COMPUTE, COMPUTE_IF_PRESENT ->
          ((BiFunction<Object, @Nullable Object, @Nullable Object>) function)
              .apply(key(key), value(found));
      case REPLACE_ALL ->
          Objects.requireNonNull(
              ((BiFunction<Object, @Nullable Object, @Nullable Object>) function)
                  .apply(key(key), value(found)),
              "replaceAll must not make null of a value");
      case COMPUTE_IF_ABSENT -> ((Function<Object, @Nullable Object>) function).apply(key(key));
      case MERGE ->
          ((BiFunction<@Nullable Object, Object, @Nullable Object>) function)
              .apply(value(found), decoded(argument.bytes(), argument.offset(), argument.length()));
    };
  }

  private Object key(Slice key) {
    return codec.decodeKey(key.bytes(), key.offset(), key.length());
  }

  private @Nullable Object value(@Nullable Entry found) {
    return found == null ? null : decoded(found.bytes(), found.valueOffset(), found.valueLength());
  }

  private Object decoded(byte[] bytes, int offset, int length) {
    return codec.decodeValue(bytes, offset, length);
  }

  private Slice encoded(Object value) {
    byte[] bytes = codec.encodeValue(value);
    if (bytes.length > Operation.MAX_VALUE_BYTES) {
      throw new IllegalArgumentException(
          "a function made a value of "
              + bytes.length
              + " bytes, longer than "
              + Operation.MAX_VALUE_BYTES);
    }
    return Slice.of(bytes);
  }
}
