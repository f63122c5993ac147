package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.ScanCursor;
import io.cantle.ScanFigures;
import io.cantle.ScanPage;
import io.cantle.SegmentSignal;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests that publishers, their parts and pages deliver everything once, whatever happens to the
 * owners.
 */
final class PublishingTest {
  private static final CacheConfig TWO_OWNERS = CacheConfig.distributed().owners(2).segments(8);

  /** A subscriber that requests a number of elements at a time. */
  private static final class RequestingSubscriber<T> implements Flow.Subscriber<T> {
    final List<T> taken = new ArrayList<>();
    private Flow.@Nullable Subscription subscription;
    private @Nullable Throwable failure;
    private boolean completed;
    private long wanted;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
    }

    @Override
    public void onNext(T element) {
      taken.add(element);
    }

    @Override
    public void onError(Throwable thrown) {
      failure = thrown;
    }

    @Override
    public void onComplete() {
      completed = true;
    }

    /** Requests this many more; returns whether there may be others. */
    boolean take(ScriptedStage stage, StageNode actor, int more) {
      wanted += more;
      actor.call(
          () -> {
            given().request(more);
            return true;
          });
      stage.await("elements", () -> completed || failure != null || taken.size() >= wanted);
      Throwable thrown = failure;
      if (thrown != null) {
        throw new AssertionError("published an error", thrown);
      }
      assertThat((long) taken.size()).isLessThanOrEqualTo(wanted);
      return !completed;
    }

    Flow.Subscription given() {
      Flow.Subscription here = subscription;
      if (here == null) {
        throw new AssertionError("not subscribed");
      }
      return here;
    }
  }

  private static <T> RequestingSubscriber<T> subscribed(
      StageNode actor, Flow.Publisher<T> publisher) {
    RequestingSubscriber<T> taking = new RequestingSubscriber<>();
    actor.call(
        () -> {
          publisher.subscribe(taking);
          return true;
        });
    return taking;
  }

  private static CachePublisher<Map.Entry<String, String>> publisher(StageNode actor) {
    return actor.call(() -> actor.cache().entrySet().stream().publisher());
  }

  /** Lets one node leave, one join, or kills one. The reader, which is the first, stays. */
  private static void change(ScriptedStage stage, int step) {
    switch (step) {
      case 1 -> stage.startNode("joiner").awaitJoined();
      case 3 -> stage.steadyNodes().get(1).leave().value();
      case 5 -> stage.steadyNodes().get(1).kill();
      default -> stage.advanceTime(Duration.ofMillis(50));
    }
  }

  private static void putOnce(List<Map.Entry<String, String>> entries, Map<String, String> into) {
    for (Map.Entry<String, String> entry : entries) {
      assertThat(into.put(entry.getKey(), entry.getValue()))
          .as("delivered before: " + entry.getKey())
          .isNull();
    }
  }

  @Test
  void slowSubscriberReceivesEverythingOnceDespiteChanges() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode reader = nodes.getFirst();
          RequestingSubscriber<Map.Entry<String, String>> slow =
              subscribed(reader, publisher(reader));
          for (int step = 0; slow.take(stage, reader, 23); step++) {
            change(stage, step);
          }
          Map<String, String> found = new TreeMap<>();
          putOnce(slow.taken, found);
          assertThat(found).isEqualTo(data.entries());
          ScanFigures figures = reader.node().scanFigures();
          assertThat(figures.mostBytesWaiting()).isBetween(1L, 1L << 20);
          assertThat(figures.mostPullsOpen()).isLessThanOrEqualTo(4);
          assertThat(figures.bytesWaiting() + figures.elementsWaiting() + figures.pullsOpen())
              .isZero();
        });
  }

  @Test
  void cancelledPartsLeaveTheirRestToOthersDespiteChanges() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode reader = nodes.getFirst();
          Map<String, String> found = new TreeMap<>();
          List<CachePublisher.Part<Map.Entry<String, String>>> parts =
              new ArrayList<>(reader.call(() -> partsOf(reader)));
          for (int step = 0; !parts.isEmpty(); step++) {
            CachePublisher.Part<Map.Entry<String, String>> part = parts.removeFirst();
            RequestingSubscriber<Map.Entry<String, String>> taking = subscribed(reader, part);
            boolean more = taking.take(stage, reader, 20 + step);
            if (more) {
              parts.add(
                  reader.call(
                      () -> {
                        taking.given().cancel();
                        return part.rest();
                      }));
            }
            putOnce(taking.taken, found);
            change(stage, step);
          }
          assertThat(found).isEqualTo(data.entries());
        });
  }

  private static List<CachePublisher.Part<Map.Entry<String, String>>> partsOf(StageNode reader) {
    return reader.cache().entrySet().stream().publisher().split(3);
  }

  @Test
  void segmentsCompleteOnceAfterTheirElementsWhenAnOwnerDies() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          StageNode reader = nodes.get(1);
          StageNode victim = nodes.get(2);
          stage.runBefore(
              letter -> letter.from() == victim && letter.isAnswerTo(MessageKind.PULL),
              2,
              victim::kill);
          RequestingSubscriber<SegmentSignal<Map.Entry<String, String>>> taking =
              subscribed(
                  reader,
                  reader.call(() -> reader.cache().entrySet().stream().publisher().bySegment()));
          assertThat(taking.take(stage, reader, 1_000)).isFalse();
          Set<Integer> over = new HashSet<>();
          List<Map.Entry<String, String>> entries = new ArrayList<>();
          for (SegmentSignal<Map.Entry<String, String>> signal : taking.taken) {
            assertThat(over).doesNotContain(signal.segment());
            switch (signal) {
              case SegmentSignal.Element<Map.Entry<String, String>> element ->
                  entries.add(element.value());
              case SegmentSignal.Completed<Map.Entry<String, String>> end ->
                  over.add(end.segment());
              case SegmentSignal.Lost<Map.Entry<String, String>> lost ->
                  throw new AssertionError(lost);
            }
          }
          Map<String, String> found = new TreeMap<>();
          putOnce(entries, found);
          assertThat(found).isEqualTo(data.entries());
          assertThat(over).hasSize(8);
        });
  }

  @Test
  void pagesCoverEverythingOnceDespiteChanges() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(4, TWO_OWNERS);
          ImmutableEntries data = ImmutableEntries.spanningSeveralPulls().putInto(nodes.getFirst());
          Map<String, String> found = new TreeMap<>();
          ScanCursor cursor = ScanCursor.START;
          for (int step = 0; !cursor.atEnd(); step++) {
            List<StageNode> there = stage.steadyNodes();
            StageNode reader = there.get(step % there.size());
            ScanCursor from = new ScanCursor(cursor.token());
            ScanPage<String, String> page = reader.call(() -> reader.cache().scan(from, 17));
            assertThat(page.entries()).hasSizeLessThanOrEqualTo(17);
            putOnce(page.entries(), found);
            cursor = page.next();
            change(stage, step);
          }
          assertThat(found).isEqualTo(data.entries());
        });
  }

  @Test
  void ownersStopWhenTheSubscriberIsSatisfiedOrGone() {
    StageScript.play(
        stage -> {
          List<StageNode> nodes = stage.startGrid(3, TWO_OWNERS);
          ImmutableEntries.ofSmallEntries(400).putInto(nodes.getFirst());
          StageNode reader = nodes.get(1);
          assertThat(
                  reader.call(
                      () -> reader.cache().values().stream().anyMatch(value -> !value.isEmpty())))
              .isTrue();
          subscribed(reader, publisher(reader)).take(stage, reader, 3);
          stage.advanceTime(Duration.ofSeconds(4));
          for (StageNode node : nodes) {
            assertThat(node.node().scanFigures().running()).isZero();
          }
          assertThat(reader.node().scanFigures().mostRunning()).isPositive();
          assertThat(stage.threadNames()).doesNotContain("core.publish", "core.stream");
        });
  }
}
