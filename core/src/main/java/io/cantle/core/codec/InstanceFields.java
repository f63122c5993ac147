package io.cantle.core.codec;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields in which objects of the application keep their state. Static and transient fields do
 * not count, nor does what the JDK or a named module keeps to itself.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class InstanceFields {
  private static final ClassValue<List<Field>> READABLE =
      new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
          return findReadable(type);
        }
      };

  private InstanceFields() {}

  /** The fields that can be read, in the order of {@link #read}. */
  static List<Field> of(Class<?> type) {
    return READABLE.get(type);
  }

  /** Reads the fields of an object, always in the same order. */
  public static @Nullable Object[] read(Object object) {
    List<Field> fields = of(object.getClass());
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

  private static List<Field> findReadable(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> declaring = type;
        declaring != null && !PlatformTypes.isPlatform(declaring.getName());
        declaring = declaring.getSuperclass()) {
      for (Field field : declaring.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (!Modifier.isStatic(modifiers)
            && !Modifier.isTransient(modifiers)
            && field.trySetAccessible()) {
          fields.add(field);
        }
      }
    }
    return List.copyOf(fields);
  }
}
