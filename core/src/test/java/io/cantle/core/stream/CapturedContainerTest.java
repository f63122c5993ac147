package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Tests streams whose functions capture a container: they may read it, and not change it. */
class CapturedContainerTest {
  private final CacheStreamSource<Integer, Flight> source =
      new ListScanner(1, Flight.some(1, 100)).streams();

  @Test
  void aCapturedSetMayBeRead() {
    Set<Integer> wanted = new HashSet<>(List.of(1, 5, 700));
    assertThat(source.keyStream().filter(k -> wanted.contains(k)).count()).isEqualTo(2);
    assertThat(source.keyStream().filter(wanted::contains).toList()).containsExactly(1, 5);
  }

  @Test
  void aChangeEndsAReduction() {
    Set<String> seen = new HashSet<>();
    assertThatIllegalStateException()
        .isThrownBy(() -> source.valueStream().filter(f -> seen.add(f.carrier())).count())
        .withMessageContainingAll(
            "variable \"seen\" of type java.util.HashSet", "has a copy there");
  }

  @Test
  void aChangeEndsAPull() {
    Set<String> seen = new HashSet<>();
    assertThatIllegalStateException()
        .isThrownBy(() -> source.valueStream().filter(f -> seen.add(f.carrier())).toList())
        .withMessageContainingAll(
            "variable \"seen\" of type java.util.HashSet", "has a copy there");
  }

  /** Remembers what it has seen. */
  static final class Tracker {
    private final Set<String> seen = new HashSet<>();

    boolean isNew(String carrier) {
      return seen.add(carrier);
    }
  }

  @Test
  void aChangeByABoundMethodEndsAStream() {
    Tracker tracker = new Tracker();
    assertThatIllegalStateException()
        .isThrownBy(() -> source.valueStream().map(Flight::carrier).filter(tracker::isNew).count())
        .withMessageContainingAll("variable \"tracker\"", "has a copy there");
    Predicate<String> isNew = tracker::isNew;
    assertThat(source.valueStream().map(Flight::carrier).filter(isNew).toList()).hasSize(6);
  }

  @Test
  void aChangeByATerminalOperationIsNoticed() {
    List<Integer> found = new ArrayList<>();
    assertThatIllegalStateException()
        .isThrownBy(() -> source.keyStream().forEachOnOwners(k -> found.add(k)))
        .withMessageContainingAll("variable \"found\"", "use forEach");
    source.keyStream().forEach(k -> found.add(k));
    assertThat(found).hasSize(100);
  }

  @Test
  void theAdviceForAnActionOnOwnersIsForEach() {
    List<Integer> found = new ArrayList<>();
    AtomicInteger sum = new AtomicInteger();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().forEachOnOwners(found::add))
        .withMessageContainingAll(
            "forEachOnOwners of a stream", "variable \"found\"", "use forEach");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.keyStream().mapToInt(k -> k).forEachOnOwners(sum::addAndGet))
        .withMessageContainingAll("variable \"sum\"", "use forEach");
    source.keyStream().mapToInt(k -> k).forEach(sum::addAndGet);
    assertThat(sum).hasValue(99 * 100 / 2);
  }

  @Test
  void theAdviceForAStageIsAPlainFunction() {
    Set<String> seen = new HashSet<>();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> source.valueStream().map(f -> f.carrier()).filter(seen::add))
        .withMessageContaining("pass the function as its java.util.function type");
    Predicate<String> isNew = seen::add;
    assertThat(source.valueStream().map(f -> f.carrier()).filter(isNew).toList())
        .doesNotHaveDuplicates()
        .hasSameElementsAs(seen)
        .isNotEmpty();
  }
}
