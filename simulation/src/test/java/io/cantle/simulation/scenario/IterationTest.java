package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.GridException;
import io.cantle.NotAvailableException;
import io.cantle.ScanFigures;
import io.cantle.core.transport.Kind;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Rule;
import io.cantle.simulation.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Iterations and reductions deliver everything once, whatever happens to those who hold it. */
final class IterationTest {
  private static final CacheConfig TWO_OWNERS = CacheConfig.distributed().owners(2).segments(8);
  private static final CacheConfig ONE_SEGMENT = TWO_OWNERS.segments(1);

  /** So few elements that an answer holds everything of a node, and so many that it does not. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 1_200})
  void deliversEachKeyOnceWithItsLastValueWhateverTheNumberOfOwners(int entries) {
    for (int owners = 1; owners <= 4; owners++) {
      CacheConfig config =
          owners == 4
              ? CacheConfig.replicated().segments(8)
              : CacheConfig.distributed().owners(owners).segments(owners);
      Script.play(
          2,
          stage -> {
            List<Actor> nodes = stage.grid(4, config);
            new Data(entries, 3).putInto(nodes.getFirst());
            Data last = Data.small(entries).putInto(nodes.getLast());
            for (Actor node : nodes) {
              assertThat(node.call(() -> Data.iterated(node.cache()))).isEqualTo(last.entries());
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

  /** Kills who answers an iteration elsewhere at a point, and looks what is delivered. */
  private static void killsOwner(int answers) {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, ONE_SEGMENT);
          Data data = Data.ofSeveralPulls().putInto(nodes.getFirst());
          Actor victim = stage.primary("any");
          Actor reader = stage.stranger("any");
          if (answers == 0) {
            stage.before(letter -> letter.to() == victim && letter.is(Kind.PULL), 1, victim::kill);
          } else {
            stage.before(
                letter -> letter.from() == victim && letter.answers(Kind.PULL),
                answers,
                victim::kill);
          }
          assertThat(reader.call(() -> Data.iterated(reader.cache()))).isEqualTo(data.entries());
          assertThat(victim.alive()).isFalse();
          stage.settle();
          stage.steady().forEach(data::checkAt);
        });
  }

  @Test
  void deliversEverythingOnceWhenAnOwnerDiesBeforeItsFirstAnswer() {
    killsOwner(0);
  }

  @Test
  void deliversEverythingOnceWhenAnOwnerDiesWhileItsFirstAnswerIsUnderWay() {
    killsOwner(1);
  }

  @Test
  void deliversEverythingOnceWhenAnOwnerDiesWhileItsSecondAnswerIsUnderWay() {
    killsOwner(2);
  }

  @Test
  void deliversEverythingOnceWhenAnOwnerDiesBetweenAnAnswerAndItsUse() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, TWO_OWNERS);
          Data data = Data.ofSeveralPulls().putInto(nodes.getFirst());
          Actor reader = nodes.get(1);
          Map<String, String> found = new TreeMap<>();
          CloseableIterator<Map.Entry<String, String>> entries =
              reader.call(() -> reader.cache().entrySet().iterator());
          reader.call(() -> taken(entries, 1, found));
          // What was asked for has come by now and waits to be used.
          stage.pass(Duration.ofMillis(600));
          nodes.get(3).kill();
          stage.pass(Duration.ofMillis(stage.nowNanos() % 3_000));
          reader.call(() -> taken(entries, Integer.MAX_VALUE, found));
          assertThat(found).isEqualTo(data.entries());
        });
  }

  private static boolean taken(
      CloseableIterator<Map.Entry<String, String>> from, int count, Map<String, String> into) {
    Data.take(from, count, into);
    return true;
  }

  @Test
  void deliversEverythingToAJoinerThatHasReceivedNothing() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, TWO_OWNERS);
          Data data = Data.ofSeveralPulls().putInto(nodes.getFirst());
          Rule transfers = stage.hold(letter -> letter.is(Kind.TRANSFER));
          Actor joiner = stage.enter("joiner").joined();
          stage.await("a transfer to be wanted", () -> transfers.seen() > 0);
          data.checkAt(joiner);
          assertThat(joiner.call(() -> joiner.cache().mappingCount())).isEqualTo(data.size());
          assertThat(joiner.node().settled()).isFalse();
          transfers.release();
          stage.settle();
          data.checkAt(joiner);
        });
  }

  @Test
  void outputsOfMapAndFlatMapAreNeitherRepeatedNorLostWhenAnOwnerDies() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, ONE_SEGMENT);
          Data data = Data.ofSeveralPulls().putInto(nodes.getFirst());
          Actor victim = stage.primary("any");
          Actor reader = stage.stranger("any");
          stage.before(
              letter -> letter.from() == victim && letter.answers(Kind.PULL), 2, victim::kill);
          List<String> outputs = reader.call(() -> flattened(reader));
          assertThat(victim.alive()).isFalse();
          List<String> expected =
              data.entries().values().stream().flatMap(IterationTest::outputs).toList();
          assertThat(outputs).containsExactlyInAnyOrderElementsOf(expected);
          assertOutputsOfOneEntryAreTogether(outputs);
        });
  }

  private static List<String> flattened(Actor reader) {
    return drained(
        reader.cache().values().stream()
            .map(value -> value + "-mapped")
            .flatMap(mapped -> outputs(mapped.substring(0, mapped.length() - 7)))
            .iterator());
  }

  /** None, one or many, and so long that an answer is soon full. */
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
  void collectingGivesTheWholeResultWhenANodeDiesAmidItsScan() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, TWO_OWNERS);
          Data data = Data.small(400).putInto(nodes.getFirst());
          Actor victim = nodes.get(2);
          Scanning.whenScanned(stage, victim, 20, victim::kill);
          Actor reader = nodes.get(1);
          Map<Integer, Long> groups = reader.call(() -> grouped(reader));
          assertThat(victim.alive()).isFalse();
          assertThat(groups)
              .isEqualTo(
                  data.entries().values().stream()
                      .collect(Collectors.groupingBy(String::length, Collectors.counting())));
        });
  }

  private static Map<Integer, Long> grouped(Actor reader) {
    return reader.cache().values().stream()
        .filter(value -> Scanning.scanned())
        .collect(() -> Collectors.groupingBy(String::length, Collectors.counting()));
  }

  @Test
  void iteratingGivesEverythingOnceWhenANodeDiesAmidItsScan() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, TWO_OWNERS);
          Data data = Data.small(400).putInto(nodes.getFirst());
          Actor victim = nodes.get(2);
          Scanning.whenScanned(stage, victim, 20, victim::kill);
          Actor reader = nodes.get(1);
          List<String> values =
              reader.call(
                  () ->
                      drained(
                          reader.cache().values().stream()
                              .filter(value -> Scanning.scanned())
                              .iterator()));
          assertThat(victim.alive()).isFalse();
          assertThat(values).containsExactlyInAnyOrderElementsOf(data.entries().values());
        });
  }

  @Test
  void functionsThatAreGivenTheCacheRunAtThePrimaryOfEachKey() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(4, TWO_OWNERS);
          Data data = Data.small(200).putInto(nodes.getFirst());
          Map<String, String> where = new ConcurrentHashMap<>();
          Scanning.eachScanned(key -> where.put(key, stage.here().name()));
          Actor reader = nodes.get(1);
          reader.call(() -> marked(reader));
          Map<String, String> expected = new TreeMap<>(data.entries());
          expected.replaceAll((key, value) -> value + "!");
          assertThat(reader.call(() -> Data.iterated(reader.cache()))).isEqualTo(expected);
          expected.replaceAll((key, value) -> stage.primary(key).name());
          assertThat(where).isEqualTo(expected);
        });
  }

  private static boolean marked(Actor reader) {
    reader.cache().keySet().stream()
        .<String, String>forEach(
            (own, key) -> {
              Scanning.scanned(key);
              own.put(key, own.get(key) + "!");
            });
    return true;
  }

  /** Ways in which an iteration ends before its end. */
  enum Ending {
    CLOSED,
    EXHAUSTED,
    FAILED,
    ORIGIN_KILLED,
    ABANDONED
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.EnumSource(Ending.class)
  void leavesNothingOpenOnAnyNodeHoweverAnIterationEnds(Ending ending) {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, TWO_OWNERS);
          Data.ofSeveralPulls().putInto(nodes.getFirst());
          Actor reader = nodes.get(1);
          Outcome<Boolean> outcome = reader.begin(() -> ends(reader, ending));
          if (ending == Ending.ORIGIN_KILLED) {
            stage.pass(Duration.ofMillis(stage.nowNanos() % 20));
            reader.kill();
          } else if (ending == Ending.FAILED) {
            assertThat(outcome.failure()).isInstanceOf(GridException.class);
          } else {
            outcome.value();
          }
          stage.pass(Duration.ofSeconds(4));
          long pulls = stage.sent(Kind.PULL);
          stage.pass(Duration.ofSeconds(4));
          assertThat(stage.sent(Kind.PULL)).as("pulls after the end").isEqualTo(pulls);
          assertThat(stage.threads()).doesNotContain("core.publish", "core.stream");
          stage.steady().forEach(node -> assertNothingOpen(node, ending));
        });
  }

  private static void assertNothingOpen(Actor node, Ending ending) {
    assertThat(node.inspection().requestsWaiting()).as("requests of " + node).isZero();
    ScanFigures figures = node.inspection().scans();
    assertThat(figures.running()).as("work of " + node).isZero();
    if (ending != Ending.ABANDONED) {
      // What is abandoned is noticed when the collector has been there.
      assertThat(figures.pullsOpen()).as("pulls of " + node).isZero();
      assertThat(figures.bytesWaiting()).as("bytes at " + node).isZero();
      assertThat(figures.elementsWaiting()).as("elements at " + node).isZero();
    }
  }

  private static boolean ends(Actor reader, Ending ending) {
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
  void asksNobodyWhenEverythingIsOwnedHere() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, CacheConfig.replicated().segments(8));
          Data data = Data.small(300).putInto(nodes.getFirst());
          // Backups hear within this time that the last writes are committed.
          stage.pass(Duration.ofSeconds(2));
          long before = stage.sent(Kind.PULL, Kind.READ, Kind.REDUCE, Kind.COUNT);
          nodes.forEach(data::checkAt);
          assertThat(stage.sent(Kind.PULL, Kind.READ, Kind.REDUCE, Kind.COUNT)).isEqualTo(before);
        });
  }

  @Test
  void countsTheTrueSizeWhileNodesJoinAndLeave() {
    int[] all = new int[1];
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(3, TWO_OWNERS);
          Data data = Data.small(200).putInto(nodes.getFirst());
          Actor reader = nodes.getFirst();
          boolean[] over = new boolean[1];
          Outcome<Integer> rounds =
              reader.begin(
                  () -> {
                    int round = 0;
                    for (; !over[0]; round++) {
                      checkSize(reader, data);
                    }
                    return round;
                  });
          for (int i = 0; i < 3; i++) {
            stage.enter("j" + i).joined();
            stage.pass(Duration.ofMillis(300));
          }
          for (Actor leaver : stage.steady().subList(1, 5)) {
            leaver.leave().value();
          }
          over[0] = true;
          assertThat(rounds.value()).isPositive();
          all[0] += rounds.value();
          stage.settle();
        });
    assertThat(all[0]).as("rounds of three counts").isGreaterThan(20 * Script.SEEDS);
  }

  private static void checkSize(Actor reader, Data data) {
    assertThat(reader.cache().mappingCount()).isEqualTo(data.size());
    assertThat(reader.cache().keySet().stream().count()).isEqualTo(data.size());
    assertThat(Data.iterated(reader.cache())).isEqualTo(data.entries());
  }

  @Test
  void failsLoudlyAndNeverEndsEarlyWhenTheNetworkBreaksMidIteration() {
    Script.play(
        stage -> {
          List<Actor> nodes = stage.grid(5, CacheConfig.distributed().owners(3).segments(8));
          Data data = Data.ofSeveralPulls().putInto(nodes.getFirst());
          List<Actor> minority = nodes.subList(0, 2);
          Actor reader = minority.getFirst();
          Map<String, String> found = new TreeMap<>();
          CloseableIterator<Map.Entry<String, String>> entries =
              reader.call(() -> reader.cache().entrySet().iterator());
          reader.call(() -> taken(entries, 1, found));
          stage.split(List.of(minority, nodes.subList(2, 5)));
          Outcome<Boolean> rest = reader.begin(() -> taken(entries, Integer.MAX_VALUE, found));
          assertThat(rest.failure()).isInstanceOf(NotAvailableException.class);
          Actor other = nodes.getLast();
          assertThat(other.call(() -> Data.iterated(other.cache()))).isEqualTo(data.entries());
          stage.heal();
          stage.settle();
          data.checkAt(reader);
        });
  }
}
