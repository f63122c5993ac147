package io.cantle.core.codec;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A record class as this program defines it: how to read and construct its records, and the block
 * of bytes that describes the class to readers.
 *
 * <p><b>Threading:</b> immutable.
 */
final class RecordSchema {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

  private final Class<?> type;
  private final byte[] encodedSchema;
  private final Component[] components;
  private final @Nullable Object[] defaults;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final MethodHandle constructor;
  private final boolean isFlat;

  /**
   * One component.
   *
   * @param kind the letter of a primitive type's descriptor, or L
   * @param reader takes the record as Object; returns int, long, double, or any other value boxed
   */
  record Component(String name, Class<?> type, Class<?> boxed, char kind, MethodHandle reader) {
    /** Reads a component that is no primitive. */
    @Nullable Object read(Object record) {
      try {
        return (Object) reader.invokeExact(record);
      } catch (Error e) {
        throw e;
      } catch (Throwable e) {
        throw new MalformedException("component '" + name + "' of a record cannot be read: " + e);
      }
    }
  }

  RecordSchema(Class<?> type) {
    this.type = type;
    RecordComponent[] declared = type.getRecordComponents();
    components = new Component[declared.length];
    defaults = new Object[declared.length];
    Class<?>[] types = new Class<?>[declared.length];
    for (int i = 0; i < declared.length; i++) {
      components[i] = describeComponent(type, declared[i]);
      types[i] = declared[i].getType();
      defaults[i] = defaultValueOf(types[i]);
      indexes.put(declared[i].getName(), i);
    }
    isFlat = Arrays.stream(types).allMatch(RecordSchema::isFlat);
    constructor = findConstructor(type, types);
    encodedSchema = encodeSchema(type, components);
  }

  Class<?> type() {
    return type;
  }

  Component[] components() {
    return components;
  }

  /** Returns the components of a record whose hash codes depend on other objects. */
  List<@Nullable Object> references(Object record) {
    if (isFlat) {
      return List.of();
    }
    List<@Nullable Object> references = new ArrayList<>(components.length);
    for (Component component : components) {
      if (!isFlat(component.type)) {
        references.add(component.read(record));
      }
    }
    return references;
  }

  /** Whether the hash codes of objects of this class depend on no other objects. */
  private static boolean isFlat(Class<?> type) {
    return type.isPrimitive()
        || type.isEnum()
        || type == String.class
        || type == UUID.class
        || MethodType.methodType(type).unwrap().returnType().isPrimitive();
  }

  /** Writes the length of the block and the block. */
  void writeSchema(Output out) {
    out.write(encodedSchema);
  }

  /** Returns constructor arguments, each with the default for a component that the writer lacks. */
  @Nullable Object[] newArguments() {
    return defaults.clone();
  }

  /** Returns the position of each name among the constructor's parameters; -1 if there is none. */
  int[] targetIndexes(List<String> names) {
    return names.stream().mapToInt(name -> indexes.getOrDefault(name, -1)).toArray();
  }

  /** Converts a component's value to its declared type, which may have become wider since. */
  @Nullable Object adapt(int index, @Nullable Object value) {
    Component component = components[index];
    if (value == null) {
      return defaults[index];
    }
    if (component.boxed.isInstance(value)) {
      return value;
    }
    Object widened = widen(component.boxed, value);
    if (widened == null) {
      throw new MalformedException(
          "component '%s' of %s is a %s on this node but was written as a %s"
              .formatted(
                  component.name,
                  type.getName(),
                  component.type.getName(),
                  value.getClass().getName()));
    }
    return widened;
  }

  /** Calls the canonical constructor. */
  Object construct(@Nullable Object[] arguments) {
    try {
      return (Object) constructor.invokeExact(arguments);
    } catch (RuntimeException e) {
      throw new MalformedException(
          "the constructor of %s refused its components %s: %s"
              .formatted(
                  type.getName(), Arrays.stream(components).map(Component::name).toList(), e),
          e);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new MalformedException("the constructor of " + type.getName() + " failed: " + e);
    }
  }

  private static Component describeComponent(Class<?> type, RecordComponent declared) {
    Class<?> component = declared.getType();
    char kind = component.isPrimitive() ? component.descriptorString().charAt(0) : 'L';
    Class<?> readType =
        switch (kind) {
          case 'I', 'J', 'D' -> component;
          default -> Object.class;
        };
    makeAccessible(type, declared.getAccessor());
    try {
      MethodHandle reader =
          LOOKUP
              .unreflect(declared.getAccessor())
              .asType(MethodType.methodType(readType, Object.class));
      Class<?> boxed = MethodType.methodType(component).wrap().returnType();
      return new Component(declared.getName(), component, boxed, kind, reader);
    } catch (IllegalAccessException e) {
      throw notOpenException(type, e);
    }
  }

  private static MethodHandle findConstructor(Class<?> type, Class<?>[] types) {
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      makeAccessible(type, constructor);
      return LOOKUP
          .unreflectConstructor(constructor)
          .asSpreader(Object[].class, types.length)
          .asType(MethodType.methodType(Object.class, Object[].class));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(
          "a record lacks its canonical constructor: " + type.getName(), e);
    } catch (IllegalAccessException e) {
      throw notOpenException(type, e);
    }
  }

  private static byte[] encodeSchema(Class<?> type, Component[] components) {
    Output names = new Output(128);
    names.writeString(type.getName());
    names.writeList(List.of(components), component -> names.writeString(component.name));
    return names.toBlob();
  }

  private static void makeAccessible(Class<?> type, AccessibleObject member) {
    try {
      member.setAccessible(true);
    } catch (InaccessibleObjectException e) {
      throw notOpenException(type, e);
    }
  }

  private static IllegalArgumentException notOpenException(Class<?> type, Exception cause) {
    Module module = RecordSchema.class.getModule();
    return new IllegalArgumentException(
        "record %s cannot be accessed: add 'opens %s%s;' to the module-info of %s"
            .formatted(
                type.getName(),
                type.getPackageName(),
                module.isNamed() ? " to " + module.getName() : "",
                type.getModule().getName()),
        cause);
  }

  private static @Nullable Object defaultValueOf(Class<?> type) {
    // The only element of a new array has the default value of its type.
    return Array.get(Array.newInstance(type, 1), 0);
  }

  /** Widens a value without loss, or copies a list where an {@code ArrayList} is declared. */
  private static @Nullable Object widen(Class<?> target, Object value) {
    if (target == ArrayList.class && value instanceof List<?> list) {
      return new ArrayList<>(list);
    }
    if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
      int number = ((Number) value).intValue();
      if (target == Long.class) {
        return (long) number;
      }
      if (target == Integer.class) {
        return number;
      }
      if (target == Double.class) {
        return (double) number;
      }
      if (target == Short.class && value instanceof Byte) {
        return (short) number;
      }
    }
    return target == Double.class && value instanceof Float f ? (Object) (double) f : null;
  }
}
