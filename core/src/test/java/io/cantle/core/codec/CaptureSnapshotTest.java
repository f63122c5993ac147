package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.CacheCollectors;
import io.cantle.NamedFunctions;
import io.cantle.TypeCodecs;
import io.cantle.core.base.Output;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what a function may capture, and that a change of it does not go unnoticed. */
class CaptureSnapshotTest {
  private static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.codec")),
          CaptureSnapshotTest.class.getClassLoader());

  private final CaptureSnapshot captures = new CaptureSnapshot();

  private void run(SerializableFunction<Integer, ?> function) {
    run(CODEC, function);
  }

  /** Sends a function and runs it on a few numbers, as an owner does. */
  @SuppressWarnings("unchecked")
  private void run(Codec codec, SerializableFunction<Integer, ?> function) {
    Output out = new Output(64);
    codec.encodeFunction(function, out);
    SerializableFunction<Integer, ?> copy =
        (SerializableFunction<Integer, ?>) codec.decodeFunction(out.toInput(), captures);
    for (int i = 0; i < 5; i++) {
      Object _ = copy.apply(i);
    }
  }

  private void assertUnchanged() {
    assertThatCode(captures::requireUnchanged).doesNotThrowAnyException();
  }

  private void assertChanged(String variable, String type) {
    assertThatIllegalStateException()
        .isThrownBy(captures::requireUnchanged)
        .withMessageContainingAll(
            "variable \"%s\" of type %s captured by the lambda in ".formatted(variable, type),
            "(CaptureSnapshotTest.java:",
            "has a copy there",
            "Let the call return its result",
            "java.util.function type");
  }

  @Test
  void containersMayBeRead() {
    Set<Integer> set = new HashSet<>(List.of(1, 2));
    Map<Integer, List<String>> map = new TreeMap<>(Map.of(1, new ArrayList<>(List.of("a"))));
    int[] numbers = {1, 2};
    BitSet bits = BitSet.valueOf(new long[] {7});
    run(
        i ->
            set.contains(i)
                || map.getOrDefault(i, List.of()).contains("a")
                || numbers[i % 2] == 7
                || bits.get(i));
    assertUnchanged();
  }

  @Test
  void anAddedElementIsNoticed() {
    List<Integer> found = new ArrayList<>();
    run(i -> found.add(i));
    assertThat(found).isEmpty();
    assertChanged("found", "java.util.ArrayList");
  }

  @Test
  void aReplacedElementIsNoticed() {
    String[] names = {"a", "b"};
    run(i -> names[i % 2] = "name " + i);
    assertChanged("names", "java.lang.String[]");
  }

  @Test
  void aChangedNumberIsNoticed() {
    int[] count = {0};
    run(i -> count[0]++);
    assertChanged("count", "int[]");
  }

  @Test
  void aChangedMapIsNoticed() {
    Map<Integer, Integer> squares = Stream.of(1).collect(CacheCollectors.toMap(i -> i, i -> i));
    run(i -> squares.computeIfAbsent(i, n -> n * n));
    assertChanged("squares", "java.util.HashMap");
  }

  @Test
  void aReplacedValueOfAMapIsNoticed() {
    Map<Integer, String> names = new HashMap<>(Map.of(1, "a"));
    run(i -> names.replace(i, "name " + i));
    assertChanged("names", "java.util.HashMap");
  }

  @Test
  void changedBitsAreNoticed() {
    BitSet seen = new BitSet();
    run(
        i -> {
          seen.set(i);
          return i;
        });
    assertChanged("seen", "java.util.BitSet");
  }

  @Test
  void aChangeBehindAViewIsNoticed() {
    List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
    run(i -> seen.add(i));
    assertChanged("seen", "java.util.Collections$SynchronizedRandomAccessList");
  }

  @Test
  void aChangeWithinAContainerIsNoticed() {
    Map<String, List<Integer>> byName = Map.of("a", new ArrayList<>());
    run(i -> byName.getOrDefault("a", List.of()).add(i));
    assertChanged("byName", "java.util.ImmutableCollections$Map1");
  }

  @Test
  void aChangeByACapturedFunctionIsNoticed() {
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    SerializablePredicate<Integer> inner = i -> queue.offer(i);
    run(i -> inner.test(i));
    assertChanged("queue", "java.util.ArrayDeque");
  }

  /** A class whose lambdas use its fields. */
  static final class Report {
    final List<Integer> found = new ArrayList<>();
    int count;
    int least = 2;
    final AtomicInteger sum = new AtomicInteger();

    SerializableFunction<Integer, Object> collecting() {
      return i -> found.add(i);
    }

    SerializableFunction<Integer, Object> counting() {
      return i -> ++count;
    }

    SerializableFunction<Integer, Object> adding() {
      return i -> sum.addAndGet(i);
    }

    SerializableFunction<Integer, Object> comparing() {
      return i -> i > least && !found.contains(i);
    }
  }

  @Test
  void aChangeOfAFieldIsNoticed() {
    run(new Report().comparing());
    assertUnchanged();
    run(new Report().counting());
    assertThatIllegalStateException()
        .isThrownBy(captures::requireUnchanged)
        .withMessageStartingWith(
            "this (" + Report.class.getTypeName() + "), used by the lambda in ");
  }

  @Test
  void aChangeOfAContainerInAFieldIsNoticed() {
    run(new Report().collecting());
    assertThatIllegalStateException()
        .isThrownBy(captures::requireUnchanged)
        .withMessageStartingWith(
            "this (" + Report.class.getTypeName() + "), used by the lambda in ");
  }

  @Test
  void aChangeOfAnAtomicInAFieldIsNoticed() {
    run(new Report().adding());
    assertThatIllegalStateException()
        .isThrownBy(captures::requireUnchanged)
        .withMessageStartingWith(
            "this (" + Report.class.getTypeName() + "), used by the lambda in ");
  }

  @Test
  void aContainerThatContainsItselfIsRead() {
    Object[] ring = new Object[1];
    ring[0] = ring;
    run(i -> ring.length + i);
    assertUnchanged();
  }

  @Test
  void whatIsThereToBeChangedIsRefused() {
    AtomicInteger count = new AtomicInteger();
    assertRefused(i -> count.addAndGet(i), "count", "atomic.AtomicInteger");
    AtomicBoolean any = new AtomicBoolean();
    assertRefused(i -> any.getAndSet(true), "any", "atomic.AtomicBoolean");
    AtomicReference<Integer> last = new AtomicReference<>(0);
    assertRefused(i -> last.getAndSet(i), "last", "atomic.AtomicReference");
    Random random = new Random(1);
    assertRefused(i -> random.nextInt(10), "random", "java.util.Random");
    ReentrantLock lock = new ReentrantLock();
    assertRefused(i -> lock.isLocked(), "lock", "locks.ReentrantLock");
    Semaphore permits = new Semaphore(1);
    assertRefused(i -> permits.tryAcquire(), "permits", "java.util.concurrent.Semaphore");
  }

  @Test
  void whatIsThereToBeChangedIsRefusedWithinAContainer() {
    List<Map<String, LongAdder>> sums = List.of(Map.of("a", new LongAdder()));
    assertRefused(i -> sums.size() + i, "sums", "contains a java.util.concurrent.atomic.LongAdder");
  }

  private static void assertRefused(
      SerializableFunction<Integer, ?> function, String variable, String type) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeFunction(function, new Output(64)))
        .withMessageContainingAll(
            "variable \"%s\" of type ".formatted(variable),
            type,
            " cannot be sent: ",
            "each owner would change a copy of its own",
            "read its value into a local variable first");
  }

  @Test
  void aReferenceToAMethodThatChangesAContainerIsRefused() {
    List<Integer> found = new ArrayList<>();
    assertRefusedReference(found::add, "variable \"found\" of type java.util.ArrayList", "add");
    Set<Integer> set = new HashSet<>();
    assertRefusedReference(set::remove, "variable \"set\" of type java.util.HashSet", "remove");
    StringBuilder text = new StringBuilder();
    assertRefusedReference(
        text::append, "variable \"text\" of type java.lang.StringBuilder", "append");
    run(set::contains);
    run(found::contains);
    assertUnchanged();
  }

  @Test
  void buildersMayBeRead() {
    StringBuilder text = new StringBuilder();
    text.append("abcdef");
    StringJoiner joiner = new StringJoiner(",").add("a");
    IntSummaryStatistics all = new IntSummaryStatistics();
    all.accept(7);
    run(i -> text.toString().charAt(i) + joiner.length() + all.getMax());
    assertUnchanged();
  }

  @Test
  void aChangedTextIsNoticed() {
    StringBuilder text = new StringBuilder();
    run(i -> text.append(i).toString());
    assertChanged("text", "java.lang.StringBuilder");
  }

  @Test
  void aChangedSummaryIsNoticed() {
    IntSummaryStatistics all = new IntSummaryStatistics();
    run(
        i -> {
          all.accept(i);
          return i;
        });
    assertChanged("all", "java.util.IntSummaryStatistics");
  }

  @Test
  void aChangeByALambdaInAContainerIsNoticed() {
    Set<Integer> seen = new HashSet<>();
    List<SerializablePredicate<Integer>> filters = List.of(i -> i > 1, i -> seen.add(i));
    run(i -> filters.stream().allMatch(filter -> filter.test(i)));
    assertChanged("seen", "java.util.HashSet");
  }

  /** An object with a function in it. */
  record Rule(String name, SerializablePredicate<Integer> filter) {}

  @Test
  void aChangeByALambdaInAnObjectIsNoticed() {
    Set<Integer> seen = new HashSet<>();
    Rule rule = new Rule("distinct", i -> seen.add(i));
    run(i -> rule.filter.test(i));
    assertChanged("seen", "java.util.HashSet");
  }

  @Test
  void anAtomicOfALambdaInAContainerIsRefused() {
    AtomicInteger count = new AtomicInteger();
    List<SerializablePredicate<Integer>> filters = List.of(i -> count.incrementAndGet() > i);
    assertRefused(
        i -> filters.getFirst().test(i),
        "filters",
        "contains a java.util.concurrent.atomic.AtomicInteger");
  }

  @Test
  void aListOfALambdaInThatListIsRead() {
    List<SerializablePredicate<Integer>> filters = new ArrayList<>();
    filters.add(i -> filters.size() > i);
    run(i -> filters.getFirst().test(i));
    assertUnchanged();
  }

  /** An object whose method a function is. */
  static final class Tracker {
    final Set<Integer> seen = new HashSet<>();

    boolean isNew(Integer number) {
      return seen.add(number);
    }

    boolean isKnown(Integer number) {
      return seen.contains(number);
    }

    SerializableFunction<Integer, Boolean> ownMethod() {
      return this::isNew;
    }
  }

  @Test
  void aChangeByABoundMethodIsNoticed() {
    Tracker tracker = new Tracker();
    run(tracker::isKnown);
    assertUnchanged();
    run(tracker::isNew);
    assertChangedBy("variable \"tracker\" of type " + Tracker.class.getTypeName());
  }

  @Test
  void aChangeByAMethodOfThisIsNoticed() {
    run(new Tracker().ownMethod());
    assertChangedBy("this (" + Tracker.class.getTypeName() + ")");
  }

  @Test
  void anObjectThatTheFunctionReturnsMayChange() {
    Tracker tracker = new Tracker();
    run(
        i -> {
          tracker.seen.add(i);
          return tracker;
        });
    assertUnchanged();
  }

  private void assertChangedBy(String start) {
    assertThatIllegalStateException()
        .isThrownBy(captures::requireUnchanged)
        .withMessageStartingWith(start)
        .withMessageContaining("has a copy there");
  }

  /** A constant is no copy: all functions of a node share it. */
  @SuppressWarnings("ImmutableEnumChecker") // It is there to be changed.
  enum Counter {
    ALL {
      @Override
      int count(Integer number) {
        return counted += number;
      }
    };

    int counted = 1;

    abstract int count(Integer number);
  }

  @Test
  void aConstantMayChange() {
    run(Counter.ALL::count);
    assertThat(Counter.ALL.counted).isEqualTo(11);
    assertUnchanged();
  }

  /** An object that remembers what it has found out. */
  static final class Memory {
    private int hash;
    private @Nullable String text;
    private transient int calls;

    private int hash() {
      if (hash == 0) {
        hash = 31;
      }
      return hash;
    }

    private String text() {
      String known = text;
      if (known == null) {
        known = "text";
        text = known;
      }
      return known;
    }

    SerializableFunction<Integer, Object> remembering() {
      return i -> hash() + text() + ++calls;
    }
  }

  @Test
  void anObjectMayRememberResults() {
    run(new Memory().remembering());
    assertUnchanged();
  }

  /** A function that is an object of a class. */
  static final class DistinctFilter implements SerializableFunction<Integer, Boolean> {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // It is never Java's serialization that sends it.
    private final Set<Integer> seen = new HashSet<>();

    private final boolean changes;

    DistinctFilter(boolean changes) {
      this.changes = changes;
    }

    @Override
    public Boolean apply(Integer number) {
      return changes ? seen.add(number) : seen.contains(number);
    }
  }

  @Test
  void aChangeByAnObjectThatIsAFunctionIsNoticed() {
    run(new DistinctFilter(false));
    assertUnchanged();
    run(new DistinctFilter(true));
    assertChangedBy("what the function " + DistinctFilter.class.getTypeName());
  }

  @Test
  void aChangeByACapturedObjectThatIsAFunctionIsNoticed() {
    DistinctFilter inner = new DistinctFilter(true);
    run(i -> inner.apply(i));
    assertChangedBy("variable \"inner\" of type " + DistinctFilter.class.getTypeName());
  }

  @Test
  void aFunctionSentByNameMayChange() {
    DistinctFilter registered = new DistinctFilter(true);
    Codec codec =
        new Codec(
            ClassAllowList.of(List.of("io.cantle.core.codec")),
            CaptureSnapshotTest.class.getClassLoader(),
            NamedFunctions.NONE.with("distinct", registered),
            TypeCodecs.NONE,
            "n1");
    SerializableFunction<Integer, Boolean> outer = i -> registered.apply(i);
    run(codec, outer);
    assertThat(registered.seen).hasSize(5);
    assertUnchanged();
  }

  private static void assertRefusedReference(
      SerializableFunction<Integer, ?> function, String variable, String method) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CODEC.encodeFunction(function, new Output(64)))
        .withMessageContainingAll(
            variable,
            " bound to the method reference ",
            "cannot be sent: " + method + " would change a copy of it on each owner");
  }
}
