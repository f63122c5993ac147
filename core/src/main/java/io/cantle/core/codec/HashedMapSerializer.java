package io.cantle.core.codec;

import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.collection.MapLikeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Serializes maps that hash their keys, as Fory does, but within a {@link HashingBudget}.
 *
 * <p><b>Threading:</b> one thread at a time, as the wrapped serializer.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // As in Fory.
final class HashedMapSerializer extends MapLikeSerializer<Map> {
  private final MapLikeSerializer<Map> delegate;

  HashedMapSerializer(TypeResolver resolver, Class<?> type, MapLikeSerializer<?> delegate) {
    super(resolver, (Class<Map>) type, true, delegate.isImmutable());
    this.delegate = (MapLikeSerializer<Map>) delegate;
  }

  @Override
  public Map onMapWrite(WriteContext context, Map value) {
    HashingBudget.current().recordWritten(value.keySet());
    return delegate.onMapWrite(context, value);
  }

  @Override
  public void onMapWriteFinish(Map written) {
    delegate.onMapWriteFinish(written);
  }

  @Override
  public Map read(ReadContext context) {
    HashingBudget.current().testAndClearRaw();
    return super.read(context);
  }

  @Override
  public Map newMap(ReadContext context, boolean isSizeKnown) {
    HashingBudget budget = HashingBudget.current();
    boolean isRaw = budget.testAndClearRaw();
    Map entries = delegate.newMap(context, isSizeKnown);
    setNumElements(delegate.getAndClearNumElements());
    return isRaw ? entries : new CountingMap(entries, budget);
  }

  @Override
  public Map onMapRead(Map read) {
    return delegate.onMapRead(((CountingMap) read).entries);
  }

  @Override
  public Map onMapCopy(Map copied) {
    return delegate.onMapCopy(copied);
  }

  /** Counts each entry that is put into a map. */
  private static final class CountingMap extends AbstractMap<@Nullable Object, @Nullable Object> {
    private final Map entries;
    private final HashingBudget budget;

    CountingMap(Map entries, HashingBudget budget) {
      this.entries = entries;
      this.budget = budget;
    }

    @Override
    public @Nullable Object put(@Nullable Object key, @Nullable Object value) {
      budget.charge(key);
      return entries.put(key, value);
    }

    @Override
    public int size() {
      return entries.size();
    }

    @Override
    public Set<Entry<@Nullable Object, @Nullable Object>> entrySet() {
      return entries.entrySet();
    }
  }
}
