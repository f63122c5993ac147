package io.cantle.core.codec;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was in the containers and arrays that functions have captured, before these functions ran. A
 * function that was sent has a copy of what it captured. So a change of that would be lost, and
 * whatever the author meant by it. The fields of {@code this} are captured by a lambda that uses
 * one of them, so they count as well.
 *
 * <p>Contents are compared by the identity of their elements, which is cheap. Objects of other
 * classes are not looked into: what a change of them means is up to their class.
 *
 * <p><b>Threading:</b> one thread, that of the functions.
 */
public final class CaptureSnapshot {
  private static final ClassValue<List<Field>> READABLE_FIELDS =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          return findReadableFields(type);
        }
      };

  private final List<CapturedContainer> containers = new ArrayList<>(0);

  /**
   * Something with contents that a function captured.
   *
   * @param contents what was in it
   * @param index the index of the captured value it was found in, from 0
   */
  private record CapturedContainer(
      Object container, Object contents, Object function, int index, ClassResolver classResolver) {
    boolean isChanged() {
      Object now = contentsOf(container);
      boolean isSame =
          (contents instanceof @Nullable Object[] before && now instanceof @Nullable Object[] after)
              ? containsSame(before, after)
              : Objects.deepEquals(contents, now);
      return !isSame;
    }

    private static boolean containsSame(@Nullable Object[] before, @Nullable Object[] after) {
      boolean isSame = before.length == after.length;
      for (int i = 0; isSame && i < before.length; i++) {
        isSame = isSame(before[i], after[i]);
      }
      return isSame;
    }

    /** Whether two elements are the same; a number may have been boxed anew. */
    @SuppressWarnings("ReferenceEquality") // Another object that is equal is a change.
    private static boolean isSame(@Nullable Object before, @Nullable Object after) {
      boolean isBoxed =
          before instanceof Number || before instanceof Boolean || before instanceof Character;
      return before == after || (isBoxed && Objects.equals(before, after));
    }

    String describe() {
      return new CapturedVariable(
              function.getClass(),
              Objects.requireNonNull(LambdaReflection.disassemble(function)),
              index,
              classResolver)
          .describe();
    }
  }

  /** Creates a snapshot that is empty until functions are decoded with it. */
  public CaptureSnapshot() {}

  /** Adds what a function has captured. */
  void add(
      LambdaDescriptor descriptor,
      Object function,
      @Nullable Object[] captured,
      ClassResolver classResolver) {
    for (int i = 0; i < captured.length; i++) {
      Object value = captured[i];
      if (value != null && (MutableTypes.isContainer(value) || isThis(descriptor, i))) {
        int index = i;
        BiConsumer<Object, @Nullable Object> visitor =
            (object, contents) -> {
              Object kept = contents == null ? stateOf(object) : contents;
              if (kept != null) {
                containers.add(new CapturedContainer(object, kept, function, index, classResolver));
              }
            };
        if (MutableTypes.isContainer(value)) {
          MutableTypes.visitAll(value, visitor);
        } else {
          @Nullable Object[] fields = readFields(value);
          visitor.accept(value, fields);
          Stream.of(fields)
              .filter(Objects::nonNull)
              .forEach(field -> MutableTypes.visitAll(field, visitor));
        }
      }
    }
  }

  /** Whether the captured value is {@code this} of a lambda. */
  private static boolean isThis(LambdaDescriptor descriptor, int index) {
    return index == 0 && descriptor.isInstanceLambda();
  }

  private static Object contentsOf(Object container) {
    if (MutableTypes.isContainer(container)) {
      return MutableTypes.copyContents(container);
    }
    String state = stateOf(container);
    return state == null ? readFields(container) : state;
  }

  /**
   * What an object shows that is there to be changed, or null for any other object. Only a field of
   * {@code this} has one, since functions may not capture it.
   */
  private static @Nullable String stateOf(Object object) {
    return MutableTypes.isState(object) ? object.toString() : null;
  }

  private static @Nullable Object[] readFields(Object object) {
    List<Field> fields = READABLE_FIELDS.get(object.getClass());
    @Nullable Object[] values = new Object[fields.size()];
    try {
      for (int i = 0; i < values.length; i++) {
        values[i] = fields.get(i).get(object);
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("a field of " + object.getClass() + " cannot be read", e);
    }
    return values;
  }

  /** The fields of objects of a class, except those that its module keeps to itself. */
  private static List<Field> findReadableFields(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> declaring = type;
        declaring != null && !PlatformTypes.isPlatform(declaring.getName());
        declaring = declaring.getSuperclass()) {
      for (Field field : declaring.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && field.trySetAccessible()) {
          fields.add(field);
        }
      }
    }
    return List.copyOf(fields);
  }

  /**
   * To be called after the functions have run, and before their result counts.
   *
   * @throws IllegalStateException if a function has changed what it captured
   */
  public void requireUnchanged() {
    for (CapturedContainer container : containers) {
      if (container.isChanged()) {
        throw new IllegalStateException(
            ("%s was changed by a function that runs on the owners of entries: it has a copy there,"
                    + " and the change would be lost. Let the call return its result (collect,"
                    + " reduce, count, the value of compute), or run the function on the calling"
                    + " node: use forEach, or give the function as its java.util.function type")
                .formatted(container.describe()));
      }
    }
  }
}
