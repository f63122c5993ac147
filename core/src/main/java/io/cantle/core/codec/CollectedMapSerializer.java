package io.cantle.core.codec;

import java.util.HashMap;
import java.util.Map;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.Serializer;

/**
 * Serializes the maps that {@code CacheCollectors.toMap} makes, as hash maps. What is decoded is a
 * {@link HashMap}, within the {@link HashingBudget}.
 *
 * <p><b>Threading:</b> one thread at a time, as the serializer of hash maps.
 */
final class CollectedMapSerializer extends Serializer<Map<?, ?>> {
  private final Serializer<HashMap<?, ?>> hashMaps;

  // The class cannot be named here; it is a map.
  @SuppressWarnings("unchecked")
  CollectedMapSerializer(TypeResolver resolver, Class<?> type) {
    super(resolver.getConfig(), (Class<Map<?, ?>>) type);
    hashMaps = (Serializer<HashMap<?, ?>>) (Serializer<?>) resolver.getSerializer(HashMap.class);
  }

  @Override
  public void write(WriteContext context, Map<?, ?> map) {
    hashMaps.write(context, new HashMap<>(map));
  }

  @Override
  public Map<?, ?> read(ReadContext context) {
    return hashMaps.read(context);
  }
}
