package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.ScanFigures;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that iterations and reductions deliver everything once, whatever happens to the owners. */
final class IterationTest {
  private static final CacheConfig TWO_OWNERS = CacheConfig.distributed().owners(2).segments(8);
  private static final CacheConfig ONE_SEGMENT = TWO_OWNERS.segments(1);

  /**
   * Runs with so few elements that one answer holds all of a node, and so many that it does not.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 1_200})
  void deliversEachKeyOnceForAnyNumberOfOwners(int entries) {
    for (int owners = 1; owners <= 4; owners++) {
      CacheConfig config =
          owners == 4
              ? CacheConfig.replicated().segments(8)
              : CacheConfig.distributed().owners(owners).segments(owners);
      StageScript.play(
          2,
          stage -> {
            List<StageNode> nodes = stage.startGrid(4, config);
            new ImmutableEntries(entries, 3).putInto(nodes.getFirst());
            ImmutableEntries last =
                ImmutableEntries.ofSmallEntries(entries).putInto(nodes.getLast());
            for (StageNode node : nodes) {
              assertThat(node.call(() -> ImmutableEntries.iterated(node.cache())))
                  .isEqualTo(last.entries());
              List<String> keys = node.call(() -> drained(node.cache().keySet().iterator()));
              assertThat(keys).containsExactlyInAnyOrderElementsOf(last.entries().keySet());
              List<String> values = node.call(() -> drained(node.cache().values().iterator()));
              assertThat(values).containsExactlyInAnyOrderElementsOf(last.entries().values());
            }
          });
    }
  }

  private static <T> List<T> drained(CloseableIterator<T> iterator) {
    List<T> all = new ArrayList<>();
    try (iterator) {
      iterator.forEachRemaining(all::add);
    }
    return all;
  }

  /** Kills the node that answers a remote iteration at some point, and checks what is delivered. */
  private static void killsOwner(int answers) {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, ONE_SEGMENT);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode victim = stage.primaryOf("any");
          StageNode reader = stage.nonOwnerOf("any");
          if (answers == 0) {
            stage.runBefore(
                letter -> letter.to() == victim && letter.isOneOf(MessageKind.PULL),
                1,
                victim::kill);
          } else {
            stage.runBefore(
                letter -> letter.from() == victim && letter.isAnswerTo(MessageKind.PULL),
                answers,
                victim::kill);
          }
          assertThat(reader.call(() -> ImmutableEntries.iterated(reader.cache())))
              .isEqualTo(data.entries());
          assertThat(victim.isAlive()).isFalse();
          stage.settle();
          stage.steadyNodes().forEach(data::checkAt);
        });
  }

  @Test
  void deliversOnceWhenAnOwnerDiesBeforeItsFirstAnswer() {
    killsOwner(0);
  }

  @Test
  void deliversOnceWhenAnOwnerDiesDuringItsFirstAnswer() {
    killsOwner(1);
  }

  @Test
  void deliversOnceWhenAnOwnerDiesDuringItsSecondAnswer() {
    killsOwner(2);
  }

  @Test
  void deliversOnceWhenAnOwnerDiesBeforeItsAnswerIsUsed() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode reader = nodes.get(1);
          Map<String, String> found = new TreeMap<>();
          CloseableIterator<Map.Entry<String, String>> entries =
              reader.call(() -> reader.cache().entrySet().iterator());
          reader.call(() -> taken(entries, 1, found));
          // What was requested has arrived by now and waits to be used.
          stage.advanceTime(Duration.ofMillis(600));
          nodes.get(3).kill();
          stage.advanceTime(Duration.ofMillis(stage.nowNanos() % 3_000));
          reader.call(() -> taken(entries, Integer.MAX_VALUE, found));
          assertThat(found).isEqualTo(data.entries());
        });
  }

  private static boolean taken(
      CloseableIterator<Map.Entry<String, String>> from, int count, Map<String, String> into) {
    ImmutableEntries.takeInto(from, count, into);
    return true;
  }

  @Test
  void joinerWithoutDataIteratesEverything() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          MessageRule transfers =
              stage.holdMessages(letter -> letter.isOneOf(MessageKind.TRANSFER));
          StageNode joiner = stage.startNode("joiner").awaitJoined();
          stage.await("a transfer to be wanted", () -> transfers.seenCount() > 0);
          data.checkAt(joiner);
          assertThat(joiner.call(() -> joiner.cache().mappingCount())).isEqualTo(data.size());
          assertThat(joiner.node().settled()).isFalse();
          transfers.release();
          stage.settle();
          data.checkAt(joiner);
        });
  }

  @Test
  void mapAndFlatMapAreExactlyOnceWhenAnOwnerDies() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, ONE_SEGMENT);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode victim = stage.primaryOf("any");
          StageNode reader = stage.nonOwnerOf("any");
          stage.runBefore(
              letter -> letter.from() == victim && letter.isAnswerTo(MessageKind.PULL),
              2,
              victim::kill);
          List<String> outputs = reader.call(() -> flattened(reader));
          assertThat(victim.isAlive()).isFalse();
          List<String> expected =
              data.entries().values().stream().flatMap(IterationTest::outputs).toList();
          assertThat(outputs).containsExactlyInAnyOrderElementsOf(expected);
          assertOutputsOfOneEntryAreTogether(outputs);
        });
  }

  private static List<String> flattened(StageNode reader) {
    return drained(
        reader.cache().values().stream()
            .map(value -> value + "-mapped")
            .flatMap(mapped -> outputs(mapped.substring(0, mapped.length() - 7)))
            .iterator());
  }

  /** Returns no elements, one or many, and so long that an answer is soon full. */
  private static Stream<String> outputs(String value) {
    int number = Integer.parseInt(value.substring(0, value.indexOf('-')));
    return IntStream.range(0, number % 4).mapToObj(part -> number + "/" + part + "-" + value);
  }

  private static void assertOutputsOfOneEntryAreTogether(List<String> outputs) {
    HashSet<String> done = new HashSet<>();
    String current = "";
    for (String output : outputs) {
      String entry = output.substring(0, output.indexOf('/'));
      if (!entry.equals(current)) {
        assertThat(done.add(entry)).as("outputs of " + entry + " are together").isTrue();
        current = entry;
      }
    }
  }

  @Test
  void collectIsCompleteWhenANodeDiesDuringItsScan() {
    playWithDeathDuringScan(
        IterationTest::grouped,
        (data, groups) ->
            assertThat(groups)
                .isEqualTo(
                    data.entries().values().stream()
                        .collect(Collectors.groupingBy(String::length, Collectors.counting()))));
  }

  private static Map<Integer, Long> grouped(StageNode reader) {
    return reader.cache().values().stream()
        .filter(value -> ScanInterceptor.wasScanned())
        .collect(() -> Collectors.groupingBy(String::length, Collectors.counting()));
  }

  @Test
  void iterationIsExactlyOnceWhenANodeDiesDuringItsScan() {
    playWithDeathDuringScan(
        reader ->
            drained(
                reader.cache().values().stream()
                    .filter(value -> ScanInterceptor.wasScanned())
                    .iterator()),
        (data, values) ->
            assertThat(values).containsExactlyInAnyOrderElementsOf(data.entries().values()));
  }

  /** Scans all entries, while one node dies at the twentieth; then checks the result. */
  private static <R> void playWithDeathDuringScan(
      Function<StageNode, R> scan, BiConsumer<ImmutableEntries, R> check) {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(400).putInto(nodes.getFirst());
          StageNode victim = nodes.get(2);
          ScanInterceptor.runDuringScan(stage, victim, 20, victim::kill);
          StageNode reader = nodes.get(1);
          R result = reader.call(() -> scan.apply(reader));
          assertThat(victim.isAlive()).isFalse();
          check.accept(data, result);
        });
  }

  @Test
  void functionsWithCacheRunAtEachPrimary() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(200).putInto(nodes.getFirst());
          Map<String, String> where = new ConcurrentHashMap<>();
          ScanInterceptor.onEachScan(key -> where.put(key, stage.currentNode().name()));
          StageNode reader = nodes.get(1);
          reader.call(() -> marked(reader));
          Map<String, String> expected = new TreeMap<>(data.entries());
          expected.replaceAll((key, value) -> value + "!");
          assertThat(reader.call(() -> ImmutableEntries.iterated(reader.cache())))
              .isEqualTo(expected);
          expected.replaceAll((key, value) -> stage.primaryOf(key).name());
          assertThat(where).isEqualTo(expected);
        });
  }

  private static boolean marked(StageNode reader) {
    reader.cache().keySet().stream()
        .<String, String>forEachWithCache(
            (own, key) -> {
              ScanInterceptor.onScanned(key);
              own.put(key, own.get(key) + "!");
            });
    return true;
  }

  /** Ways in which an iteration ends early. */
  enum Ending {
    CLOSED,
    EXHAUSTED,
    FAILED,
    ORIGIN_KILLED,
    ABANDONED
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.EnumSource(Ending.class)
  void iterationLeavesNothingOpenHoweverItEnds(Ending ending) {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, TWO_OWNERS);
          ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode reader = nodes.get(1);
          PendingCall<Boolean> outcome = reader.beginCall(() -> ends(reader, ending));
          if (ending == Ending.ORIGIN_KILLED) {
            stage.advanceTime(Duration.ofMillis(stage.nowNanos() % 20));
            reader.kill();
          } else if (ending == Ending.FAILED) {
            assertThat(outcome.failure()).isInstanceOf(GridException.class);
          } else {
            outcome.value();
          }
          stage.advanceTime(Duration.ofSeconds(4));
          long pulls = stage.sentCount(MessageKind.PULL);
          stage.advanceTime(Duration.ofSeconds(4));
          assertThat(stage.sentCount(MessageKind.PULL)).as("pulls after the end").isEqualTo(pulls);
          assertThat(stage.threadNames()).doesNotContain("core.publish", "core.stream");
          stage.steadyNodes().forEach(node -> assertNothingOpen(node, ending));
        });
  }

  private static void assertNothingOpen(StageNode node, Ending ending) {
    assertThat(node.inspection().inspector().pendingRequests()).as("requests of " + node).isZero();
    ScanFigures figures = node.node().scanFigures();
    assertThat(figures.running()).as("work of " + node).isZero();
    if (ending != Ending.ABANDONED) {
      // An abandoned iteration is detected when the garbage collector has run.
      assertThat(figures.pullsOpen()).as("pulls of " + node).isZero();
      assertThat(figures.bytesWaiting()).as("bytes at " + node).isZero();
      assertThat(figures.elementsWaiting()).as("elements at " + node).isZero();
    }
  }

  private static boolean ends(StageNode reader, Ending ending) {
    CloseableIterator<String> values =
        reader.cache().values().stream()
            .map(value -> ending == Ending.FAILED ? failing(value) : value)
            .iterator();
    values.next();
    switch (ending) {
      case CLOSED -> values.close();
      case ABANDONED, ORIGIN_KILLED -> values.next();
      default -> values.forEachRemaining(value -> {});
    }
    return true;
  }

  private static String failing(String value) {
    throw new IllegalStateException("cannot make anything of " + value.length() + " characters");
  }

  @Test
  void localIterationSendsNoMessages() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, CacheConfig.replicated().segments(8));
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(300).putInto(nodes.getFirst());
          // Backups learn within this time that the last writes are committed.
          stage.advanceTime(Duration.ofSeconds(2));
          long before =
              stage.sentCount(
                  MessageKind.PULL, MessageKind.READ, MessageKind.REDUCE, MessageKind.COUNT);
          nodes.forEach(data::checkAt);
          assertThat(
                  stage.sentCount(
                      MessageKind.PULL, MessageKind.READ, MessageKind.REDUCE, MessageKind.COUNT))
              .isEqualTo(before);
        });
  }

  @Test
  void sizeIsExactWhileNodesJoinAndLeave() {
    int[] all = new int[1];
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.ofSmallEntries(200).putInto(nodes.getFirst());
          StageNode reader = nodes.getFirst();
          boolean[] over = new boolean[1];
          PendingCall<Integer> rounds =
              reader.beginCall(
                  () -> {
                    int round = 0;
                    for (; !over[0]; round++) {
                      checkSize(reader, data);
                    }
                    return round;
                  });
          for (int i = 0; i < 3; i++) {
            stage.startNode("j" + i).awaitJoined();
            stage.advanceTime(Duration.ofMillis(300));
          }
          for (StageNode leaver : stage.steadyNodes().subList(1, 5)) {
            leaver.leave().value();
          }
          over[0] = true;
          assertThat(rounds.value()).isPositive();
          all[0] += rounds.value();
          stage.settle();
        });
    assertThat(all[0])
        .as("rounds of three counts")
        .isGreaterThan(20 * StageScript.DEFAULT_SEED_COUNT);
  }

  private static void checkSize(StageNode reader, ImmutableEntries data) {
    assertThat(reader.cache().mappingCount()).isEqualTo(data.size());
    assertThat(reader.cache().keySet().stream().count()).isEqualTo(data.size());
    assertThat(ImmutableEntries.iterated(reader.cache())).isEqualTo(data.entries());
  }

  @Test
  void iterationFailsInsteadOfEndingEarlyWhenTheNetworkBreaks() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes =
              stage.startGrid(5, CacheConfig.distributed().owners(3).segments(8));
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          List<StageNode> minority = nodes.subList(0, 2);
          StageNode reader = minority.getFirst();
          Map<String, String> found = new TreeMap<>();
          CloseableIterator<Map.Entry<String, String>> entries =
              reader.call(() -> reader.cache().entrySet().iterator());
          reader.call(() -> taken(entries, 1, found));
          stage.partition(List.of(minority, nodes.subList(2, 5)));
          PendingCall<Boolean> rest =
              reader.beginCall(() -> taken(entries, Integer.MAX_VALUE, found));
          assertThat(rest.failure()).isInstanceOf(NotAvailableException.class);
          StageNode other = nodes.getLast();
          assertThat(other.call(() -> ImmutableEntries.iterated(other.cache())))
              .isEqualTo(data.entries());
          stage.heal();
          stage.settle();
          data.checkAt(reader);
        });
  }
}
