package io.cantle.core.codec;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which objects nobody can change, so that a cache may hand out the object it keeps instead of a
 * copy. It is decided once for each class, by what its fields may hold:
 *
 * <ul>
 *   <li>strings, boxed primitives, {@code BigInteger}, {@code BigDecimal}, {@code UUID}, {@code
 *       java.time};
 *   <li>enum constants, of which decoding returns the only one;
 *   <li>records whose components are declared as primitives or as one of these types, and sealed
 *       interfaces all of whose classes are.
 * </ul>
 *
 * <p>A component that is declared as an interface which is not sealed, such as {@code List}, may
 * hold anything. Lists of {@code List.of} are decided for each object, by their elements. So are
 * records that have a {@code BigInteger} or a {@code BigDecimal} anywhere in them: users can extend
 * both, and give a subclass fields that change.
 *
 * <p>A class with a user's codec counts as one that can be changed: what its codec reads need not
 * be what it wrote. So does a class that a decoder would find in another class loader.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ImmutableTypes {
  private static final Set<Class<?>> LEAVES =
      Set.of(
          String.class,
          Boolean.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          Character.class,
          BigInteger.class,
          BigDecimal.class,
          UUID.class);

  /** Leaves of which there may be subclasses. */
  private static final Set<Class<?>> OPEN_LEAVES = Set.of(BigInteger.class, BigDecimal.class);

  /** The classes of {@code List.of}, whose arrays nothing else refers to. */
  private static final Set<Class<?>> LISTS =
      Set.of(List.of(1).getClass(), List.of(1, 2, 3).getClass());

  private enum Immutability {
    CERTAIN,
    OF_ELEMENTS,
    OF_COMPONENTS,
    NONE
  }

  private final ClassResolver classResolver;
  private final ClassValue<Immutability> decisions =
      new ClassValue<>() {
        @Override
        protected Immutability computeValue(Class<?> type) {
          return decide(type);
        }
      };

  ImmutableTypes(ClassResolver classResolver) {
    this.classResolver = classResolver;
  }

  /** Whether nobody can change an object, nor what it holds. */
  boolean isImmutable(@Nullable Object value) {
    return value == null
        || value instanceof String
        || switch (decisions.get(value.getClass())) {
          case CERTAIN -> true;
          case OF_ELEMENTS -> ((List<?>) value).stream().allMatch(this::isImmutable);
          case OF_COMPONENTS -> componentsOf(value).stream().allMatch(this::isImmutable);
          case NONE -> false;
        };
  }

  private Immutability decide(Class<?> type) {
    if (LISTS.contains(type)) {
      return Immutability.OF_ELEMENTS;
    }
    Set<Class<?>> seen = new HashSet<>();
    if (!isImmutable(type, seen)) {
      return Immutability.NONE;
    }
    if (!type.isRecord() || OPEN_LEAVES.stream().noneMatch(seen::contains)) {
      return Immutability.CERTAIN;
    }
    return canRead(type) ? Immutability.OF_COMPONENTS : Immutability.NONE;
  }

  private boolean canRead(Class<?> type) {
    try {
      return classResolver.recordSchema(type).type() == type;
    } catch (IllegalArgumentException e) {
      // It is not open to this module.
      return false;
    }
  }

  private List<@Nullable Object> componentsOf(Object value) {
    return classResolver.recordSchema(value.getClass()).references(value);
  }

  /**
   * Whether all objects of a class, or of a declared type, are immutable.
   *
   * @param seen the types that are decided or assumed, since a type may refer to itself
   */
  private boolean isImmutable(Class<?> type, Set<Class<?>> seen) {
    if (!seen.add(type) || type.isPrimitive() || isLeaf(type)) {
      return true;
    }
    if (!isDecodedAs(type)) {
      return false;
    }
    if (Enum.class.isAssignableFrom(type)) {
      return true;
    }
    if (type.isRecord()) {
      return Stream.of(type.getRecordComponents())
          .map(RecordComponent::getType)
          .allMatch(component -> isImmutable(component, seen));
    }
    return type.isInterface()
        && type.isSealed()
        && Stream.of(type.getPermittedSubclasses())
            .allMatch(permitted -> isImmutable(permitted, seen));
  }

  /** Numbers may be subclasses by the user, so these count only by their own class. */
  private static boolean isLeaf(Class<?> type) {
    return LEAVES.contains(type)
        || (PlatformTypes.hasFrozenFormat(type.getName()) && isTime(type))
        || (ZoneId.class.isAssignableFrom(type) && isTime(type));
  }

  private static boolean isTime(Class<?> type) {
    return type.getPackageName().equals("java.time");
  }

  /** Whether a decoder makes objects of this class, by its own rules, of what was written. */
  private boolean isDecodedAs(Class<?> type) {
    // A constant with a body has a class of its own.
    boolean isConstantBody = Enum.class.isAssignableFrom(type) && !type.isEnum();
    if (classResolver.codecs().hasCodecFor(isConstantBody ? type.getSuperclass() : type)) {
      return false;
    }
    try {
      return Class.forName(type.getName(), false, classResolver.loader()) == type;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
