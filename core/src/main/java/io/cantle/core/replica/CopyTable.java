package io.cantle.core.replica;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The members that hold the entries of a scattered segment besides its primary, as the primary
 * knows them: of each key the holder of the present version, and those that may still have an
 * earlier one.
 *
 * <p>It is a hash table of its own, so that an entry is looked up by the bytes that it has. A key
 * is copied only when it is added.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class CopyTable {
  private static final int MIN_BUCKETS = 16;
  private static final int MAX_BUCKETS = 1 << 30;

  /** A key, compared by its bytes. */
  @SuppressWarnings("ArrayRecordComponent") // Equality is defined below, by content.
  record EntryKey(long hash, byte[] bytes) {
    @Override
    public boolean equals(Object other) {
      return other instanceof EntryKey key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(hash);
    }
  }

  /** The copies of a key at other members. */
  static final class KeyCopies {
    final EntryKey key;

    /** The next key in the same bucket. */
    private @Nullable KeyCopies next;

    /** The present version at the primary. */
    private Version version;

    /** The member that holds this version too, or was sent it; null for none. */
    private @Nullable Member holder;

    /** Members that may have another version, up to the one named, and are to drop it. */
    private Map<Member, Version> formerHolders = Map.of();

    KeyCopies(EntryKey key, Version version, @Nullable KeyCopies next) {
      this.key = key;
      this.version = version;
      this.next = next;
    }

    private boolean isOf(long hash, byte[] bytes, int length) {
      return key.hash == hash && Arrays.equals(key.bytes, 0, key.bytes.length, bytes, 0, length);
    }

    Version version() {
      return version;
    }

    @Nullable Member holder() {
      return holder;
    }

    /** The members that may have another version than the present one. */
    Map<Member, Version> formerHolders() {
      return formerHolders;
    }

    /** Takes a new version, which another member, or none, is to hold. */
    void replace(Version next, @Nullable Member nextHolder) {
      Member before = holder;
      if (before != null && !before.equals(nextHolder)) {
        addFormerHolder(before, version);
      }
      version = next;
      setHolder(nextHolder);
    }

    /** Takes a version that a tick has made: the holder's copy has ended with it. */
    void end(Version tombstone) {
      version = tombstone;
    }

    void setHolder(@Nullable Member next) {
      holder = next;
      if (next != null) {
        removeFormerHolder(next);
      }
    }

    /** Notes that the holder does not count any more, though it may still have its copy. */
    void dismissHolder() {
      Member before = holder;
      if (before != null) {
        holder = null;
        addFormerHolder(before, version);
      }
    }

    void addFormerHolder(Member member, Version upTo) {
      if (formerHolders.isEmpty()) {
        formerHolders = new TreeMap<>();
      }
      formerHolders.merge(member, upTo, CopyTable::later);
    }

    void removeFormerHolder(Member member) {
      if (!formerHolders.isEmpty()) {
        formerHolders.remove(member);
      }
    }

    /** Notes that a member has dropped what it had up to a version. */
    void onDropped(Member member, Version upTo) {
      Version had = formerHolders.get(member);
      if (had != null && later(had, upTo).equals(upTo)) {
        formerHolders.remove(member);
      }
    }

    void retainFormerHolders(Predicate<Member> stays) {
      if (!formerHolders.isEmpty()) {
        formerHolders.keySet().removeIf(stays.negate());
      }
    }
  }

  private static Version later(Version one, Version other) {
    return Version.compare(one.epoch(), one.index(), other.epoch(), other.index()) > 0
        ? one
        : other;
  }

  private @Nullable KeyCopies[] buckets = new KeyCopies[MIN_BUCKETS];
  private int size;

  /** The copies of a key; null if none were ever known. */
  @Nullable KeyCopies find(EntryKey key) {
    return find(key.hash, key.bytes, key.bytes.length);
  }

  /** The copies of the key of an entry; null if none were ever known. */
  @Nullable KeyCopies find(Entry entry) {
    return find(entry.hash(), entry.bytes(), entry.keyLength());
  }

  private @Nullable KeyCopies find(long hash, byte[] bytes, int length) {
    KeyCopies one = buckets[bucketOf(hash)];
    while (one != null && !one.isOf(hash, bytes, length)) {
      one = one.next;
    }
    return one;
  }

  private int bucketOf(long hash) {
    return Long.hashCode(hash) & (buckets.length - 1);
  }

  /** The copies of the key of an entry; without a holder if none were known. */
  KeyCopies getOrCreate(Entry entry) {
    KeyCopies known = find(entry);
    if (known != null) {
      return known;
    }
    if (size == buckets.length && size < MAX_BUCKETS) {
      grow();
    }
    byte[] bytes = Arrays.copyOf(entry.bytes(), entry.keyLength());
    int bucket = bucketOf(entry.hash());
    KeyCopies added =
        new KeyCopies(new EntryKey(entry.hash(), bytes), entry.version(), buckets[bucket]);
    buckets[bucket] = added;
    size++;
    return added;
  }

  private void grow() {
    List<KeyCopies> all = all();
    buckets = new KeyCopies[2 * buckets.length];
    for (KeyCopies one : all) {
      int bucket = bucketOf(one.key.hash);
      one.next = buckets[bucket];
      buckets[bucket] = one;
    }
  }

  void remove(EntryKey key) {
    int bucket = bucketOf(key.hash);
    KeyCopies before = null;
    for (KeyCopies one = buckets[bucket]; one != null; before = one, one = one.next) {
      if (one.key.equals(key)) {
        if (before == null) {
          buckets[bucket] = one.next;
        } else {
          before.next = one.next;
        }
        size--;
        return;
      }
    }
  }

  /** The copies of all keys, in a list that stays as it is. */
  List<KeyCopies> all() {
    List<KeyCopies> all = new ArrayList<>(size);
    for (KeyCopies first : buckets) {
      for (KeyCopies one = first; one != null; one = one.next) {
        all.add(one);
      }
    }
    return all;
  }

  void clear() {
    buckets = new KeyCopies[MIN_BUCKETS];
    size = 0;
  }
}
