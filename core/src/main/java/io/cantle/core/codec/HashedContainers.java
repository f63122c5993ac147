package io.cantle.core.codec;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.Serializer;
import org.apache.fory.serializer.Serializers;
import org.apache.fory.serializer.collection.ChildContainerSerializers;
import org.apache.fory.serializer.collection.CollectionLikeSerializer;
import org.apache.fory.serializer.collection.MapLikeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Makes sets and maps in object graphs keep to a {@link HashingBudget} when they hash their
 * contents. Each of Fory's serializers for them is wrapped in one that counts. The bytes stay the
 * same.
 *
 * <p><b>Threading:</b> any thread.
 */
@SuppressWarnings("rawtypes") // As in Fory.
final class HashedContainers {
  /**
   * The JDK classes that hash what is added, or compare it with all they hold. Other such classes
   * are built from these.
   */
  private static final List<Class<?>> TYPES =
      List.of(
          HashSet.class,
          LinkedHashSet.class,
          CopyOnWriteArraySet.class,
          Collections.newSetFromMap(new HashMap<>()).getClass(),
          Set.of(1).getClass(),
          Set.of(1, 2, 3).getClass(),
          HashMap.class,
          LinkedHashMap.class,
          ConcurrentHashMap.class,
          Map.of(1, 1).getClass(),
          Map.of(1, 1, 2, 2).getClass());

  private HashedContainers() {}

  /** Wraps the serializers of the JDK classes. */
  static void installIn(TypeResolver resolver) {
    TYPES.forEach(type -> install(resolver, type));
  }

  // The wrapped serializer is for the same class.
  @SuppressWarnings("unchecked")
  private static <T> void install(TypeResolver resolver, Class<T> type) {
    Serializer<?> counting = countingSerializer(resolver, type, resolver.getSerializer(type));
    resolver.setSerializer(type, (Serializer<T>) counting);
  }

  /** Returns a counting serializer for a set or map class of the user; null for any other class. */
  static @Nullable Serializer<?> serializer(TypeResolver resolver, Class<?> type) {
    Class<? extends Serializer> forys =
        PlatformTypes.isPlatform(type.getName()) ? null : foryClassFor(type);
    return forys == null
        ? null
        : countingSerializer(resolver, type, Serializers.newSerializer(resolver, type, forys));
  }

  private static @Nullable Class<? extends Serializer> foryClassFor(Class<?> type) {
    if (HashSet.class.isAssignableFrom(type)) {
      return ChildContainerSerializers.getCollectionSerializerClass(type);
    }
    return HashMap.class.isAssignableFrom(type) || ConcurrentHashMap.class.isAssignableFrom(type)
        ? ChildContainerSerializers.getMapSerializerClass(type)
        : null;
  }

  private static Serializer<?> countingSerializer(
      TypeResolver resolver, Class<?> type, Serializer<?> forys) {
    return switch (forys) {
      case CollectionLikeSerializer<?> sets when sets.supportCodegenHook() ->
          new HashedSetSerializer(resolver, type, sets);
      case MapLikeSerializer<?> maps when maps.supportCodegenHook() ->
          new HashedMapSerializer(resolver, type, maps);
      default ->
          throw new IllegalStateException(
              "Fory writes " + type.getName() + " in a way that does not let hashing be counted");
    };
  }
}
