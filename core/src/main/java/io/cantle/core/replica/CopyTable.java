package io.cantle.core.replica;

import io.cantle.core.base.Version;
import io.cantle.core.container.Entry;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The members that hold the entries of a scattered segment besides its primary, as the primary
 * knows them: of each key the holder of the present version, and those that may still have an
 * earlier one.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class CopyTable {
  /** A key, compared by its bytes. */
  @SuppressWarnings("ArrayRecordComponent") // Equality is defined below, by content.
  record EntryKey(long hash, byte[] bytes) {
    static EntryKey of(Entry entry) {
      return new EntryKey(entry.hash(), Arrays.copyOf(entry.bytes(), entry.keyLength()));
    }

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

    /** The present version at the primary. */
    private Version version;

    /** The member that holds this version too, or was sent it; null for none. */
    private @Nullable Member holder;

    /** Members that may have another version, up to the one named, and are to drop it. */
    private Map<Member, Version> formerHolders = Map.of();

    KeyCopies(EntryKey key, Version version) {
      this.key = key;
      this.version = version;
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

  private final Map<EntryKey, KeyCopies> copies = new HashMap<>();

  @Nullable KeyCopies find(EntryKey key) {
    return copies.get(key);
  }

  @Nullable KeyCopies find(Entry entry) {
    return copies.get(EntryKey.of(entry));
  }

  /** The copies of a key; without a holder if none were known. */
  KeyCopies getOrCreate(Entry entry) {
    EntryKey key = EntryKey.of(entry);
    KeyCopies known = copies.get(key);
    if (known == null) {
      known = new KeyCopies(key, entry.version());
      copies.put(key, known);
    }
    return known;
  }

  void remove(EntryKey key) {
    copies.remove(key);
  }

  Collection<KeyCopies> all() {
    return copies.values();
  }

  void clear() {
    copies.clear();
  }
}
