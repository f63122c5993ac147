package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Version;
import io.cantle.core.base.WriteProvenance;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Entry;
import io.cantle.core.operation.ConflictMerge.LossCount;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.replica.CommandEffect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how writes of another side are merged and what is lost, in every order. */
final class ConflictMergeTest {
  private static final UUID GRID = new UUID(1, 2);

  /** The epoch in which the sides diverged, at its tenth write. */
  private static final int EPOCH = 5;

  private static final int PARTED_AT = 10;

  private static final Codec CODEC =
      new Codec(ClassAllowList.of(List.of()), ConflictMergeTest.class.getClassLoader());
  private static final byte[] KEY = CODEC.encodeKey("k");

  /** The merge policies of a grid. */
  enum Policy {
    NEWER(PartitionHandling.NEWER),
    MAJORITY(PartitionHandling.MAJORITY),
    REMOVE(PartitionHandling.REMOVE),
    CUSTOM(PartitionHandling.CUSTOM);

    final PartitionHandling mode;

    Policy(PartitionHandling mode) {
      this.mode = mode;
    }
  }

  /**
   * Joins the letters of both values, each once and sorted: the same in any order and when
   * repeated.
   */
  private static @Nullable Object joined(@Nullable Object ours, @Nullable Object theirs) {
    TreeSet<Character> letters = new TreeSet<>();
    for (Object one : new Object[] {ours == null ? "" : ours, theirs == null ? "" : theirs}) {
      String.valueOf(one).chars().forEach(letter -> letters.add((char) letter));
    }
    StringBuilder all = new StringBuilder();
    letters.forEach(all::append);
    return all.isEmpty() ? null : all.toString();
  }

  private static FunctionEvaluator code(MergePolicy.Merger merger) {
    return new FunctionEvaluator(
        CODEC, new ConflictResolver(WhenCut.available(MergePolicy.custom(merger))));
  }

  /** What one side has of the key: a value, or none if it was removed. */
  private record Written(@Nullable String value, long stamp, boolean old) {
    /**
     * As the merge of a replica whose owners all hold everything up to the stamp {@code settled}.
     */
    ConflictMerge as(PartitionHandling mode, long settled) {
      ByteSlice bytes = value == null ? null : ByteSlice.of(CODEC.encodeValue(value));
      Version parted = new Version(EPOCH, PARTED_AT);
      DivergencePoint point = new DivergencePoint(EPOCH, parted, settled);
      return new ConflictMerge(GRID, 1, mode, old, point, stamp, bytes);
    }
  }

  private static Written since(@Nullable String value, long stamp) {
    return new Written(value, stamp, false);
  }

  private static Written before(@Nullable String value, long stamp) {
    return new Written(value, stamp, true);
  }

  /** The primary of the side that continues, for one key. */
  private static final class Primary {
    private final PartitionHandling mode;
    private final FunctionEvaluator code;
    private int index;
    @Nullable Entry entry;
    LossCount lost = LossCount.NONE;

    Primary(PartitionHandling mode, FunctionEvaluator code) {
      this.mode = mode;
      this.code = code;
    }

    /** Makes the primary write the key itself: before the sides diverged, or since. */
    Primary holds(@Nullable String value, long stamp, boolean beforeParting) {
      ByteSlice key = ByteSlice.of(KEY);
      byte[] bytes = value == null ? KEY : key.concat(ByteSlice.of(CODEC.encodeValue(value)));
      int at = beforeParting ? PARTED_AT : PARTED_AT + ++index;
      entry = Entry.of(1, bytes, KEY.length, EPOCH, at, value == null, stamp, null);
      return this;
    }

    void merge(Written written) {
      merge(written, 0);
    }

    void merge(Written written, long settled) {
      ByteSlice key = ByteSlice.of(KEY);
      CommandEffect effect = code.decide("some cache", written.as(mode, settled), key, entry);
      lost = lost.plus(LossCount.of(effect.result()));
      byte[] bytes = effect.bytes();
      if (bytes != null) {
        long marked = effect.stamp() != 0 ? effect.stamp() : 1_000;
        entry =
            Entry.of(
                1, bytes, KEY.length, EPOCH, PARTED_AT + ++index, effect.isRemoval(), marked, null);
      }
    }

    String value() {
      Entry there = entry;
      return there == null || there.isTombstone()
          ? "-"
          : String.valueOf(
              CODEC.decodeValue(there.bytes(), there.valueOffset(), there.valueLength()));
    }
  }

  private static Primary primary(Policy policy) {
    return new Primary(policy.mode, code((cache, key, ours, theirs) -> joined(ours, theirs)));
  }

  private static void assertBecomes(Primary primary, String value, LossCount lost) {
    assertThat(primary.value()).isEqualTo(value);
    assertThat(primary.lost).isEqualTo(lost);
  }

  @ParameterizedTest
  @EnumSource
  void writesOfOnlyOneSideMergeWithoutLoss(Policy policy) {
    Primary nothing = primary(policy);
    nothing.merge(since("b", 20));
    assertBecomes(nothing, "b", LossCount.NONE);
    Primary older = primary(policy).holds("a", 10, true);
    older.merge(since("b", 5));
    assertBecomes(older, "b", LossCount.NONE);
    Primary removed = primary(policy).holds("a", 10, true);
    removed.merge(since(null, 20));
    assertBecomes(removed, "-", LossCount.NONE);
    Primary back = primary(policy).holds(null, 10, true);
    back.merge(since("b", 20));
    assertBecomes(back, "b", LossCount.NONE);
  }

  @ParameterizedTest
  @EnumSource
  void policyDecidesConflictsAndCountsLosses(Policy policy) {
    Primary primary = primary(policy).holds("a", 30, false);
    primary.merge(since("b", 20));
    switch (policy) {
      case NEWER, MAJORITY -> assertBecomes(primary, "a", new LossCount(1, 0, 0));
      case REMOVE -> assertBecomes(primary, "-", new LossCount(0, 2, 0));
      case CUSTOM -> assertBecomes(primary, "ab", new LossCount(2, 0, 0));
    }
    Primary earlier = primary(policy).holds("a", 20, false);
    earlier.merge(since("b", 30));
    switch (policy) {
      case NEWER -> assertBecomes(earlier, "b", new LossCount(1, 0, 0));
      case MAJORITY -> assertBecomes(earlier, "a", new LossCount(1, 0, 0));
      case REMOVE -> assertBecomes(earlier, "-", new LossCount(0, 2, 0));
      case CUSTOM -> assertBecomes(earlier, "ab", new LossCount(2, 0, 0));
    }
  }

  @ParameterizedTest
  @EnumSource
  void removalIsAWriteLikeAnyOther(Policy policy) {
    Primary primary = primary(policy).holds("a", 20, false);
    primary.merge(since(null, 30));
    switch (policy) {
      case NEWER, REMOVE -> assertBecomes(primary, "-", new LossCount(0, 1, 0));
      case MAJORITY, CUSTOM -> assertBecomes(primary, "a", new LossCount(0, 0, 1));
    }
    Primary removed = primary(policy).holds(null, 20, false);
    removed.merge(since("b", 30));
    switch (policy) {
      case NEWER, CUSTOM -> assertBecomes(removed, "b", new LossCount(0, 0, 1));
      case MAJORITY, REMOVE -> assertBecomes(removed, "-", new LossCount(0, 1, 0));
    }
    Primary both = primary(policy).holds(null, 20, false);
    both.merge(since(null, 30));
    assertBecomes(both, "-", LossCount.NONE);
  }

  @ParameterizedTest
  @EnumSource
  void touchAndExpiryLoseToAnyWrite(Policy policy) {
    Primary read = primary(policy).holds("a", 10, false);
    read.merge(since("b", 20), 15);
    assertBecomes(read, "b", LossCount.NONE);
    Primary ended = primary(policy).holds(null, 10, false);
    ended.merge(since("b", 20), 15);
    assertBecomes(ended, "b", LossCount.NONE);
    Primary written = primary(policy).holds("b", 20, false);
    written.merge(since(null, 10), 15);
    assertBecomes(written, "b", LossCount.NONE);
    Primary endedElsewhere = primary(policy).holds("a", 10, false);
    endedElsewhere.merge(since(null, 10), 15);
    assertBecomes(endedElsewhere, "-", LossCount.NONE);
  }

  @Test
  void expiredValueDoesNotReturnFromTheOtherSide() {
    Primary ended = primary(Policy.NEWER).holds(null, 20, false);
    ended.merge(since("a", 20));
    assertThat(ended.value()).isEqualTo("-");
    Primary living = primary(Policy.NEWER).holds("a", 20, false);
    living.merge(since(null, 20));
    assertThat(living.value()).isEqualTo("-");
    living.merge(since("b", 21));
    assertThat(living.value()).as("every later write stays").isEqualTo("b");
  }

  @Test
  void equalValuesOnBothSidesAreNoLoss() {
    for (Policy policy : List.of(Policy.NEWER, Policy.MAJORITY, Policy.CUSTOM)) {
      Primary primary = primary(policy).holds("a", 20, false);
      primary.merge(since("a", 30));
      assertBecomes(primary, "a", LossCount.NONE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void restoredValueYieldsToNewerWritesAndCounts(Policy policy) {
    // The second stamp is from a clock that is ahead.
    for (long stamp : new long[] {5, 40}) {
      Primary primary = primary(policy).holds("a", 10, false);
      primary.merge(before("old", stamp));
      assertBecomes(primary, "a", new LossCount(1, 0, 0));
      Primary removed = primary(policy).holds(null, 10, false);
      removed.merge(before("old", stamp));
      assertBecomes(removed, "-", new LossCount(0, 1, 0));
      Primary same = primary(policy).holds("a", 10, false);
      same.merge(before("a", stamp));
      assertBecomes(same, "a", LossCount.NONE);
      // The removal was not undone: the existing value was put after it.
      Primary put = primary(policy).holds("a", 10, false);
      put.merge(before(null, stamp));
      assertBecomes(put, "a", LossCount.NONE);
    }
  }

  @ParameterizedTest
  @EnumSource
  void laterOfSeveralRestoredWritesWinsInAnyOrder(Policy policy) {
    for (Written later : List.of(before("new", 20), before(null, 20))) {
      for (List<Written> order :
          List.of(List.of(before("older", 10), later), List.of(later, before("older", 10)))) {
        Primary primary = primary(policy);
        order.forEach(primary::merge);
        assertBecomes(
            primary,
            later.value() == null ? "-" : "new",
            // The later write may have known the older one, or not: its segment had begun empty
            // again.
            later.value() == null ? new LossCount(0, 1, 0) : new LossCount(1, 0, 0));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void newWriteReplacesARestoredValueAndCounts(Policy policy) {
    for (List<Written> order :
        List.of(
            List.of(before("old", 10), since("b", 20)),
            List.of(since("b", 20), before("old", 10)))) {
      Primary primary = primary(policy);
      order.forEach(primary::merge);
      assertBecomes(primary, "b", new LossCount(1, 0, 0));
    }
    for (List<Written> order :
        List.of(
            List.of(before(null, 10), since("b", 20)), List.of(since("b", 20), before(null, 10)))) {
      Primary primary = primary(policy);
      order.forEach(primary::merge);
      assertBecomes(primary, "b", new LossCount(0, 0, 1));
    }
  }

  @Test
  void neitherOfTwoForksIsTheMajority() {
    for (List<Written> order :
        List.of(List.of(since("b", 20), since("c", 30)), List.of(since("c", 30), since("b", 20)))) {
      Primary primary = primary(Policy.MAJORITY).holds("a", 10, true);
      order.forEach(primary::merge);
      assertBecomes(primary, "c", new LossCount(1, 0, 0));
    }
  }

  @Test
  void mergedValueKeepsTheStampOfTheChosenWrite() {
    Primary theirs =
        new Primary(PartitionHandling.CUSTOM, code((cache, key, ours, other) -> other));
    theirs.holds("a", 10, false).merge(since("b", 20));
    assertBecomes(theirs, "b", new LossCount(1, 0, 0));
    Entry chosen = theirs.entry;
    assertThat(chosen == null ? 0 : chosen.stamp()).isEqualTo(20);
    assertThat(chosen == null ? null : chosen.provenance()).isEqualTo(WriteProvenance.MERGED);
  }

  @Test
  void throwingFunctionChangesNothingAndTheNewerWriteCanBeUsed() {
    Primary primary =
        new Primary(
            PartitionHandling.CUSTOM,
            code(
                (cache, key, ours, theirs) -> {
                  throw new IllegalArgumentException("cannot join " + key + " of " + cache);
                }));
    primary.holds("a", 10, false);
    assertThatThrownBy(() -> primary.merge(since("b", 20)))
        .hasMessage("cannot join k of some cache");
    assertBecomes(primary, "a", LossCount.NONE);
    // The member that merges the entry does the same.
    CommandEffect effect =
        primary.code.decide(
            "some cache",
            since("b", 20).as(PartitionHandling.NEWER, 0),
            ByteSlice.of(KEY),
            primary.entry);
    assertThat(LossCount.of(effect.result())).isEqualTo(new LossCount(1, 0, 0));
    assertThat(effect.stamp()).isEqualTo(WriteProvenance.MERGED.markStamp(20));
  }

  @Test
  void functionIsCalledOnlyForConflicts() {
    FunctionEvaluator never =
        code(
            (cache, key, ours, theirs) -> {
              throw new AssertionError("the function was called for " + ours + " and " + theirs);
            });
    new Primary(PartitionHandling.CUSTOM, never).merge(since("b", 20));
    new Primary(PartitionHandling.CUSTOM, never).holds("a", 10, true).merge(since("b", 20));
    new Primary(PartitionHandling.CUSTOM, never).holds(null, 10, false).merge(since(null, 20));
    new Primary(PartitionHandling.CUSTOM, never).holds("a", 10, false).merge(before("b", 20));
  }

  /**
   * Sides that diverged from a common history, and the writes they merge, drawn so that they could
   * have happened.
   */
  private static final class Story {
    final List<Written> incoming = new ArrayList<>();
    final @Nullable Written existing;
    final boolean hereBefore;

    Story(Random random) {
      boolean begunEmpty = random.nextBoolean();
      long stamp = 10;
      List<Written> ages = new ArrayList<>();
      // The history of one key before the sides diverged; each replica ends somewhere in it.
      for (int i = random.nextInt(4); i > 0; i--) {
        ages.add(before(random.nextInt(4) == 0 ? null : letter(ages.size()), stamp++));
      }
      if (begunEmpty) {
        for (int i = random.nextInt(3); i > 0 && !ages.isEmpty(); i--) {
          incoming.add(ages.get(random.nextInt(ages.size())));
        }
      }
      for (int fork = random.nextInt(1, 4); fork > 0; fork--) {
        if (random.nextInt(4) > 0) {
          String value = random.nextInt(4) == 0 ? null : letter(10 + fork);
          incoming.add(since(value, 100 + random.nextInt(100)));
        } else if (begunEmpty && !ages.isEmpty()) {
          incoming.add(ages.getLast());
        }
      }
      boolean hereSince = random.nextInt(3) == 0;
      if (hereSince) {
        existing = since(random.nextInt(4) == 0 ? null : "z", 100 + random.nextInt(100));
        hereBefore = false;
      } else {
        existing = begunEmpty || ages.isEmpty() ? null : ages.getLast();
        hereBefore = true;
      }
    }

    private static String letter(int which) {
      return String.valueOf((char) ('a' + which));
    }

    Primary expected(Policy policy, List<Written> order) {
      Primary primary = primary(policy);
      if (existing != null) {
        primary.holds(existing.value(), existing.stamp(), hereBefore);
      }
      order.forEach(primary::merge);
      return primary;
    }
  }

  @ParameterizedTest
  @EnumSource
  void mergeOrderDoesNotMatter(Policy policy) {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      Story story = new Story(random);
      String expected = story.expected(policy, story.incoming).value();
      List<Written> order = new ArrayList<>(story.incoming);
      for (int i = 0; i < 4; i++) {
        Collections.shuffle(order, random);
        assertThat(story.expected(policy, order).value())
            .as(
                "seed %d, here %s, merged %s in the order %s",
                seed, story.existing, story.incoming, order)
            .isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void mergingTwiceEqualsMergingOnce(Policy policy) {
    for (int seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      Story story = new Story(random);
      String expected = story.expected(policy, story.incoming).value();
      // The node that merged has died in between, and another one repeats everything.
      List<Written> again =
          new ArrayList<>(story.incoming.subList(0, random.nextInt(1 + story.incoming.size())));
      again.addAll(story.incoming);
      assertThat(story.expected(policy, again).value())
          .as("seed %d, here %s, merged %s", seed, story.existing, again)
          .isEqualTo(expected);
    }
  }

  @Test
  void everyLostValueIsCounted() {
    for (Policy policy : List.of(Policy.NEWER, Policy.MAJORITY, Policy.REMOVE)) {
      for (int seed = 0; seed < 20_000; seed++) {
        Story story = new Story(new Random(seed));
        Primary primary = story.expected(policy, story.incoming);
        List<Written> all = new ArrayList<>(story.incoming);
        if (story.existing != null && !story.hereBefore) {
          all.add(story.existing);
        }
        int gone =
            (int)
                all.stream()
                    .map(Written::value)
                    .filter(value -> value != null && !primary.value().equals(value))
                    .distinct()
                    .count();
        long counted = primary.lost.overwritten() + primary.lost.removed();
        assertThat(counted)
            .as("seed %d, %s: here %s, merged %s", seed, policy, story.existing, story.incoming)
            .isGreaterThanOrEqualTo(gone);
      }
    }
  }

  @Test
  void losesOnlyWhatItCounts() {
    byte[] three = new LossCount(1, 2, 3).toResult().bytes();
    assertThat(Arrays.copyOf(three, 3)).containsExactly(1, 2, 3);
    assertThat(LossCount.of(ConflictMerge.NOT_APPLICABLE)).isEqualTo(LossCount.NONE);
  }
}
