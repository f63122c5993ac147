package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Durability;
import io.cantle.GridException;
import io.cantle.ScanCursor;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageRule;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageMessage;
import io.cantle.simulation.StageNode;
import io.cantle.simulation.StageScript;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that no wait overruns its timeout by more than a tenth, whatever does not answer. */
final class TimeLimitTest {
  /** One owner, so that most entries are not where the calls are made. */
  private static final CacheConfig CONFIG = CacheConfig.distributed().owners(1).segments(16);

  private static final int ENTRY_COUNT = 200;
  private static final long LIMIT_NANOS = withMargin(ScriptedStage.TIMEOUT);

  private static long withMargin(Duration timeout) {
    return timeout.toNanos() / 10 * 11;
  }

  @Test
  void callsEndInTimeWhenNoOwnerAnswers() {
    playCalls((stage, caller) -> stage.dropMessages(requestsOf(caller)), TimeLimitTest::callsOn);
  }

  @Test
  void callsEndInTimeWhenTheNodeIsCutOff() {
    playCalls(
        (stage, caller) -> {
          stage.isolate(caller);
          return null;
        },
        TimeLimitTest::callsOn);
  }

  @Test
  void callsEndInTimeWhenAnswersAreLost() {
    playCalls(
        (stage, caller) ->
            stage.dropMessages(
                letter -> letter.to() == caller && letter.kind() == MessageKind.RESPONSE),
        TimeLimitTest::callsOn);
  }

  @Test
  void requestsToTheVotersEndInTime() {
    playCalls(
        (stage, caller) ->
            stage.dropMessages(
                letter -> letter.from() == caller && letter.kind() == MessageKind.REPORT),
        caller -> {
          Map<String, Callable<?>> calls = new LinkedHashMap<>();
          calls.put("new cache", () -> caller.node().cache("another"));
          calls.put("suspend", () -> run(() -> caller.node().suspendRebalancing(true)));
          calls.put("destroy", () -> run(() -> caller.node().destroy(ScriptedStage.CACHE)));
          return calls;
        });
  }

  @Test
  void scansEndInTimeAfterTheirLastProgress() {
    StageScript.playOnReliableNetwork(
        5,
        stage -> {
          StageNode caller = startFilledGrid(stage);
          CloseableIterator<String> keys = caller.call(() -> caller.cache().keySet().iterator());
          caller.call(keys::next);
          ManualSubscriber subscriber = new ManualSubscriber();
          caller.call(
              () -> run(() -> caller.cache().keySet().stream().publisher().subscribe(subscriber)));
          stage.await("the first element", () -> subscriber.delivered > 0);
          stage.dropMessages(requestsOf(caller));
          long began = stage.nowNanos();
          PendingCall<Boolean> drain =
              caller.beginCall(
                  () -> {
                    while (keys.hasNext()) {
                      keys.next();
                    }
                    return true;
                  });
          caller.call(() -> run(() -> subscriber.request(Long.MAX_VALUE)));
          assertThat(drain.failure()).isInstanceOf(GridException.class);
          assertThat(drain.endedNanos() - began).as("iterator").isLessThanOrEqualTo(LIMIT_NANOS);
          stage.await("the failure of the publisher", () -> subscriber.failure != null);
          assertThat(stage.nowNanos() - began).as("publisher").isLessThanOrEqualTo(LIMIT_NANOS);
          stage.releaseMessages();
        });
  }

  @Test
  void joinEndsInTime() {
    StageScript.playOnReliableNetwork(
        5,
        stage -> {
          stage.startGrid(2, CONFIG);
          stage.dropMessages(letter -> letter.isOneOf(MessageKind.JOIN));
          long began = stage.nowNanos();
          PendingCall<Boolean> joining = stage.startNode("late", 2).joining();
          assertThat(joining.failure()).isInstanceOf(GridException.class);
          assertThat(joining.endedNanos() - began).isLessThanOrEqualTo(LIMIT_NANOS);
        });
  }

  /** It knows a grid from before, so it might take its time to leave that. */
  @Test
  void restartWithoutTheOthersEndsInTime() {
    Throwable thrown =
        ScriptedStage.exact((message, event) -> {})
            .runScript(
                stage -> {
                  List<StageNode> nodes =
                      stage.startGrid(3, CONFIG.owners(2).durability(Durability.SYNC));
                  nodes.forEach(StageNode::kill);
                  stage.advanceTime(Duration.ofSeconds(1));
                  long began = stage.nowNanos();
                  PendingCall<Boolean> joining = stage.startNode("n1", 3).joining();
                  assertThat(joining.failure()).isInstanceOf(GridException.class);
                  assertThat(joining.endedNanos() - began).isLessThanOrEqualTo(LIMIT_NANOS);
                });
    assertThat(thrown).isNull();
  }

  @Test
  void closeEndsInTime() {
    Duration leaveTimeout = Duration.ofMinutes(2);
    StageScript.playOnReliableNetwork(
        5,
        stage -> {
          StageNode caller = startFilledGrid(stage);
          stage.dropMessages(letter -> letter.isOneOf(MessageKind.TRANSFER));
          long began = stage.nowNanos();
          PendingCall<Boolean> leaving = caller.leave();
          stage.advanceTime(leaveTimeout);
          assertThat(leaving.endedNanos() - began).isLessThanOrEqualTo(withMargin(leaveTimeout));
          stage.releaseMessages();
        });
  }

  // ------------------------------------------------------------------ the calls

  private interface Disturbance {
    @Nullable MessageRule begin(ScriptedStage stage, StageNode caller);
  }

  private interface Calls {
    Map<String, Callable<?>> of(StageNode caller);
  }

  /** Makes each call while a disturbance lasts. */
  private static void playCalls(Disturbance disturbance, Calls calls) {
    StageScript.playOnReliableNetwork(
        5,
        stage -> {
          StageNode caller = startFilledGrid(stage);
          Map<String, Callable<?>> table = calls.of(caller);
          MessageRule rule = disturbance.begin(stage, caller);
          Map<String, Long> overruns = new TreeMap<>();
          table.forEach(
              (name, call) -> {
                long began = stage.nowNanos();
                PendingCall<?> pending = caller.beginCall(call);
                assertThat(pending.failure()).as(name).isInstanceOf(GridException.class);
                long took = pending.endedNanos() - began;
                if (took > LIMIT_NANOS) {
                  overruns.put(name, took);
                }
              });
          assertThat(overruns).as("calls that took longer than their timeout").isEmpty();
          if (rule != null) {
            rule.end();
          }
          stage.heal();
        });
  }

  private static StageNode startFilledGrid(ScriptedStage stage) {
    List<StageNode> nodes = stage.startGrid(3, CONFIG);
    StageNode caller = nodes.getLast();
    Map<String, String> entries = new TreeMap<>();
    for (int i = 0; i < ENTRY_COUNT; i++) {
      entries.put("key-" + i, "value of some length " + i);
    }
    caller.call(() -> run(() -> caller.cache().putAll(entries)));
    return caller;
  }

  /** What the calls of a node need of others; agreement and leases go on. */
  private static Predicate<StageMessage> requestsOf(StageNode caller) {
    return letter ->
        letter.from() == caller
            && letter.isOneOf(
                MessageKind.READ,
                MessageKind.WRITE,
                MessageKind.BULK_READ,
                MessageKind.BULK_WRITE,
                MessageKind.PULL,
                MessageKind.REDUCE,
                MessageKind.COUNT);
  }

  private static Map<String, Callable<?>> callsOn(StageNode caller) {
    Cache<String, String> cache = caller.cache();
    String key = remoteKey(caller);
    Map<String, String> entries = new TreeMap<>();
    for (int i = 0; i < 500; i++) {
      entries.put("new-" + i, "value");
    }
    Map<String, Callable<?>> calls = new LinkedHashMap<>();
    calls.put("get", () -> cache.get(key));
    calls.put("containsKey", () -> cache.containsKey(key));
    calls.put("put", () -> cache.put(key, "a"));
    calls.put("putIfAbsent", () -> cache.putIfAbsent(key, "a"));
    calls.put("remove", () -> cache.remove(key));
    calls.put("remove if equal", () -> cache.remove(key, "a"));
    calls.put("replace", () -> cache.replace(key, "a"));
    calls.put("replace if equal", () -> cache.replace(key, "a", "b"));
    calls.put("compute", () -> cache.compute(key, (k, value) -> "a"));
    calls.put("computeIfAbsent", () -> cache.computeIfAbsent(key, k -> "a"));
    calls.put("computeIfPresent", () -> cache.computeIfPresent(key, (k, value) -> "a"));
    calls.put("merge", () -> cache.merge(key, "a", (left, right) -> left + right));
    calls.put("putAll", () -> run(() -> cache.putAll(entries)));
    calls.put("getAll", () -> cache.getAll(entryKeys()));
    calls.put("removeAll", () -> run(() -> cache.removeAll(entryKeys())));
    calls.put("replaceAll", () -> run(() -> cache.replaceAll((k, value) -> "a")));
    calls.put("clear", () -> run(cache::clear));
    calls.put("mappingCount", cache::mappingCount);
    calls.put("containsValue", () -> cache.containsValue("nowhere"));
    calls.put("page", () -> cache.scan(ScanCursor.START, 1_000));
    calls.put("stream: count", () -> cache.values().stream().filter(v -> v.isEmpty()).count());
    calls.put("stream: toList", () -> cache.values().stream().toList());
    calls.put("stream: sorted", () -> cache.keySet().stream().sorted().limit(3).toList());
    calls.put("stream: reduce", () -> cache.values().stream().reduce((a, b) -> a));
    return calls;
  }

  private static List<String> entryKeys() {
    return IntStream.range(0, ENTRY_COUNT).mapToObj(i -> "key-" + i).toList();
  }

  /** A key that another node owns. */
  private static String remoteKey(StageNode caller) {
    for (int i = 0; i < ENTRY_COUNT; i++) {
      String key = "key-" + i;
      if (!caller.cache().owners(key).contains(caller.name())) {
        return key;
      }
    }
    throw new AssertionError("node " + caller + " owns every entry");
  }

  private static boolean run(Runnable action) {
    action.run();
    return true;
  }

  /** Requests one element, and more when it is told to. */
  private static final class ManualSubscriber implements Flow.Subscriber<Object> {
    private Flow.@Nullable Subscription subscription;
    private int delivered;
    private @Nullable Throwable failure;

    @Override
    public void onSubscribe(Flow.Subscription opened) {
      subscription = opened;
      opened.request(1);
    }

    @Override
    public void onNext(Object element) {
      delivered++;
    }

    @Override
    public void onError(Throwable thrown) {
      failure = thrown;
    }

    @Override
    public void onComplete() {}

    void request(long count) {
      Flow.Subscription opened = subscription;
      if (opened != null) {
        opened.request(count);
      }
    }
  }
}
