package io.cantle.core.codec;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.collection.CollectionLikeSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Serializes sets that hash their elements, or compare each with the others, as Fory does, but
 * within a {@link HashingBudget}.
 *
 * <p><b>Threading:</b> one thread at a time, as the wrapped serializer.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // As in Fory.
final class HashedSetSerializer extends CollectionLikeSerializer<Collection> {
  private final CollectionLikeSerializer<Collection> delegate;

  HashedSetSerializer(TypeResolver resolver, Class<?> type, CollectionLikeSerializer<?> delegate) {
    super(resolver, (Class<Collection>) type, true, delegate.isImmutable());
    this.delegate = (CollectionLikeSerializer<Collection>) delegate;
  }

  @Override
  public Collection onCollectionWrite(WriteContext context, Collection value) {
    HashingBudget.current().recordWritten(value);
    return delegate.onCollectionWrite(context, value);
  }

  @Override
  public void onCollectionWriteFinish(Collection written) {
    delegate.onCollectionWriteFinish(written);
  }

  @Override
  public Collection newCollection(ReadContext context, boolean isSizeKnown) {
    HashingBudget budget = HashingBudget.current();
    // A set may be backed by a map. Only the set counts, not the map as well.
    budget.nextMapIsRaw();
    Collection elements = delegate.newCollection(context, isSizeKnown);
    budget.testAndClearRaw();
    setNumElements(delegate.getAndClearNumElements());
    return new CountingCollection(elements, budget);
  }

  @Override
  public Collection onCollectionRead(Collection read) {
    return delegate.onCollectionRead(((CountingCollection) read).elements);
  }

  /** Counts each element that is added to a set. */
  private static final class CountingCollection extends AbstractCollection<@Nullable Object> {
    private final Collection elements;
    private final HashingBudget budget;

    CountingCollection(Collection elements, HashingBudget budget) {
      this.elements = elements;
      this.budget = budget;
    }

    @Override
    public boolean add(@Nullable Object element) {
      budget.charge(element);
      return elements.add(element);
    }

    @Override
    public Iterator<@Nullable Object> iterator() {
      return elements.iterator();
    }

    @Override
    public int size() {
      return elements.size();
    }
  }
}
