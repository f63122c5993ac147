package io.cantle;

import java.io.Serial;
import java.io.Serializable;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collector;
import org.jspecify.annotations.Nullable;

/**
 * A map that is made to be filled with very many entries at once, for collectors.
 *
 * <p>A {@link HashMap} that is filled while entries are decoded waits for memory two or three times
 * at each of them, one after the other. This map appends the entries to arrays, with their hashes,
 * and makes the index of all at the end, by open addressing: the reads of that pass do not depend
 * on each other, so the processor has many of them under way.
 *
 * <p>Afterwards it is a mutable map like any other. A removed entry leaves its place unused until
 * the arrays are full. What is in it is sent and serialized as a {@link HashMap}, and read as one.
 *
 * <p><b>Threading:</b> one thread at a time; several may read at once.
 */
final class CollectedMap<K extends @Nullable Object, V extends @Nullable Object>
    extends AbstractMap<K, V> implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  private static final int MIN_CAPACITY = 16;
  private static final int MAX_CAPACITY = 1 << 29;

  /**
   * How many places an entry looks at before the hashes count as bad. Good ones need about two, and
   * the worst of a million some dozens.
   */
  private static final int MAX_PROBES = 1_024;

  /** Spreads hashes that are close to each other: 2^32 divided by the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  /** The key of a removed entry. */
  private static final Object REMOVED = new Object();

  private transient @Nullable Object[] keys = new @Nullable Object[MIN_CAPACITY];
  private transient @Nullable Object[] values = new @Nullable Object[MIN_CAPACITY];
  private transient int[] hashes = new int[MIN_CAPACITY];

  /** One more than the place of an entry, or 0. Twice as long as there is room for entries. */
  private transient int[] index = new int[2 * MIN_CAPACITY];

  private transient int usedPlaces;
  private transient int size;
  private transient int changes;

  /**
   * Returns a collector into such a map, which fails as that of the JDK does if a value is null or
   * two elements have the same key; the latter at the end.
   */
  static <T, K, V> Collector<T, ?, Map<K, V>> collector(
      Function<? super T, ? extends K> keys, Function<? super T, ? extends V> values) {
    return Collector.of(
        CollectedMap<K, V>::new,
        (map, element) ->
            map.append(keys.apply(element), Objects.requireNonNull(values.apply(element))),
        (first, second) -> {
          for (int place = 0; place < second.usedPlaces; place++) {
            first.append(second.keyAt(place), second.valueAt(place));
          }
          return first;
        },
        CollectedMap::indexed);
  }

  private void append(K key, V value) {
    if (usedPlaces == keys.length) {
      int capacity = doubled(keys.length);
      keys = Arrays.copyOf(keys, capacity);
      values = Arrays.copyOf(values, capacity);
      hashes = Arrays.copyOf(hashes, capacity);
    }
    keys[usedPlaces] = key;
    values[usedPlaces] = value;
    hashes[usedPlaces++] = Objects.hashCode(key);
    size++;
  }

  private static int doubled(int capacity) {
    if (capacity == MAX_CAPACITY) {
      throw new IllegalStateException("a map cannot have more than " + capacity + " entries");
    }
    return 2 * capacity;
  }

  /** Makes the index of all entries, or a map that copes with keys of the same hash. */
  private Map<K, V> indexed() {
    index = new int[2 * keys.length];
    for (int place = 0; place < usedPlaces; place++) {
      int slot = slotOf(hashes[place]);
      for (int probes = 0; index[slot] != 0; probes++) {
        int other = index[slot] - 1;
        if (hashes[other] == hashes[place] && Objects.equals(keys[other], keys[place])) {
          throw duplicate(keyAt(place), valueAt(other), valueAt(place));
        }
        if (probes == MAX_PROBES) {
          return inHashMap();
        }
        slot = (slot + 1) & (index.length - 1);
      }
      index[slot] = place + 1;
    }
    return this;
  }

  private Map<K, V> inHashMap() {
    Map<K, V> map = HashMap.newHashMap(usedPlaces);
    for (int place = 0; place < usedPlaces; place++) {
      V before = map.putIfAbsent(keyAt(place), valueAt(place));
      if (before != null) {
        throw duplicate(keyAt(place), before, valueAt(place));
      }
    }
    return map;
  }

  private static IllegalStateException duplicate(
      @Nullable Object key, @Nullable Object first, @Nullable Object second) {
    return new IllegalStateException(
        "Duplicate key " + key + " (attempted merging values " + first + " and " + second + ")");
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return find(key) >= 0;
  }

  @Override
  public @Nullable V get(@Nullable Object key) {
    int place = find(key);
    return place < 0 ? null : valueAt(place);
  }

  @Override
  public @Nullable V put(K key, V value) {
    int place = find(key);
    if (place >= 0) {
      V before = valueAt(place);
      values[place] = value;
      return before;
    }
    if (usedPlaces == keys.length) {
      rewrite();
    }
    index[freeSlot(Objects.hashCode(key))] = usedPlaces + 1;
    append(key, value);
    changes++;
    return null;
  }

  @Override
  public @Nullable V remove(@Nullable Object key) {
    int place = find(key);
    return place < 0 ? null : removeAt(place);
  }

  private V removeAt(int place) {
    V before = valueAt(place);
    keys[place] = REMOVED;
    values[place] = null;
    size--;
    changes++;
    return before;
  }

  @Override
  public void clear() {
    keys = new @Nullable Object[MIN_CAPACITY];
    values = new @Nullable Object[MIN_CAPACITY];
    hashes = new int[MIN_CAPACITY];
    index = new int[2 * MIN_CAPACITY];
    usedPlaces = 0;
    size = 0;
    changes++;
  }

  /** Makes room: leaves out what was removed, and has larger arrays if that is little. */
  private void rewrite() {
    int capacity = size > keys.length / 2 ? doubled(keys.length) : keys.length;
    @Nullable Object[] newKeys = new @Nullable Object[capacity];
    @Nullable Object[] newValues = new @Nullable Object[capacity];
    int[] newHashes = new int[capacity];
    int count = 0;
    for (int place = 0; place < usedPlaces; place++) {
      if (!isRemoved(place)) {
        newKeys[count] = keys[place];
        newValues[count] = values[place];
        newHashes[count++] = hashes[place];
      }
    }
    keys = newKeys;
    values = newValues;
    hashes = newHashes;
    usedPlaces = count;
    index = new int[2 * capacity];
    for (int place = 0; place < count; place++) {
      index[freeSlot(hashes[place])] = place + 1;
    }
  }

  /** Returns the place of a key, or -1. */
  private int find(@Nullable Object key) {
    int hash = Objects.hashCode(key);
    for (int slot = slotOf(hash); index[slot] != 0; slot = (slot + 1) & (index.length - 1)) {
      int place = index[slot] - 1;
      if (hashes[place] == hash && !isRemoved(place) && Objects.equals(key, keys[place])) {
        return place;
      }
    }
    return -1;
  }

  private boolean isRemoved(int place) {
    return REMOVED.equals(keys[place]);
  }

  private int freeSlot(int hash) {
    int slot = slotOf(hash);
    while (index[slot] != 0) {
      slot = (slot + 1) & (index.length - 1);
    }
    return slot;
  }

  private int slotOf(int hash) {
    return (hash * SPREAD) >>> (Integer.numberOfLeadingZeros(index.length) + 1);
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // Only keys of this type are in the array.
  private K keyAt(int place) {
    return (K) keys[place];
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // Only values of this type are in the array.
  private V valueAt(int place) {
    return (V) values[place];
  }

  @Override
  public Set<K> keySet() {
    return new KeyView();
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new EntryView();
  }

  /** The entries. */
  private final class EntryView extends AbstractSet<Map.Entry<K, V>> {
    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
      return new PlaceIterator<>(PlaceEntry::new);
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public boolean contains(@Nullable Object object) {
      return object instanceof Map.Entry<?, ?> entry && find(entry) >= 0;
    }

    @Override
    public boolean remove(@Nullable Object object) {
      int place = object instanceof Map.Entry<?, ?> entry ? find(entry) : -1;
      if (place >= 0) {
        removeAt(place);
      }
      return place >= 0;
    }

    private int find(Map.Entry<?, ?> entry) {
      int place = CollectedMap.this.find(entry.getKey());
      return place >= 0 && Objects.equals(values[place], entry.getValue()) ? place : -1;
    }

    @Override
    public void clear() {
      CollectedMap.this.clear();
    }
  }

  /** The keys. */
  private final class KeyView extends AbstractSet<K> {
    @Override
    public Iterator<K> iterator() {
      return new PlaceIterator<>(CollectedMap.this::keyAt);
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public boolean contains(@Nullable Object key) {
      return containsKey(key);
    }

    @Override
    public boolean remove(@Nullable Object key) {
      int place = find(key);
      if (place >= 0) {
        removeAt(place);
      }
      return place >= 0;
    }

    @Override
    public void clear() {
      CollectedMap.this.clear();
    }
  }

  /** Makes elements of the places that have an entry. */
  private final class PlaceIterator<E extends @Nullable Object> implements Iterator<E> {
    private final IntFunction<E> elements;
    private int next;
    private int last = -1;
    private int expectedChanges = changes;

    private PlaceIterator(IntFunction<E> elements) {
      this.elements = elements;
    }

    @Override
    public boolean hasNext() {
      while (next < usedPlaces && isRemoved(next)) {
        next++;
      }
      return next < usedPlaces;
    }

    @Override
    public E next() {
      checkUnchanged();
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      last = next++;
      return elements.apply(last);
    }

    @Override
    public void remove() {
      if (last < 0) {
        throw new IllegalStateException("no element to remove: call next first");
      }
      checkUnchanged();
      removeAt(last);
      last = -1;
      expectedChanges = changes;
    }

    private void checkUnchanged() {
      if (changes != expectedChanges) {
        throw new ConcurrentModificationException();
      }
    }
  }

  /** The entry at a place, whose value can be set. */
  private final class PlaceEntry extends SimpleEntry<K, V> {
    @Serial private static final long serialVersionUID = 1;

    private PlaceEntry(int place) {
      super(keyAt(place), valueAt(place));
    }

    @Override
    public V setValue(V value) {
      int place = find(getKey());
      // An entry that was removed stays so.
      if (place >= 0) {
        values[place] = value;
      }
      return super.setValue(value);
    }
  }

  @Serial
  private Object writeReplace() {
    return new HashMap<>(this);
  }
}
