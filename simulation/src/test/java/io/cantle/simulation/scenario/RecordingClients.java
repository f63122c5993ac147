package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.simulation.PendingCall;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Clients that remember their results. Each has keys of its own, which it writes, removes and
 * reads, so the possible values of each key are known. All of them add to one counter.
 *
 * <p><b>Threading:</b> the carrier of its seed; each client is a thread of its node.
 */
final class RecordingClients {
  private static final int KEY_COUNT = 6;
  private static final long THINK_NANOS = 20_000_000;
  private static final String COUNTER = "counter";

  /** The longest that a call may take: its timeout, and a little for the thread to be woken. */
  private static final long MAX_CALL_NANOS = ScriptedStage.TIMEOUT.plusMillis(500).toNanos();

  private final ScriptedStage stage;
  private final Map<String, Set<@Nullable String>> possibleValues = new HashMap<>();
  private final List<PendingCall<Boolean>> clients = new ArrayList<>();
  private final List<String> wrongReads = new ArrayList<>();
  private final List<GridException> failures = new ArrayList<>();
  private final List<StageNode> currentNode = new ArrayList<>();
  private boolean stopped;
  private int written;
  private int acknowledgedIncrements;
  private int maxIncrements;

  /** Starts clients at some nodes. */
  RecordingClients(ScriptedStage stage, List<StageNode> actors) {
    this.stage = stage;
    actors.forEach(this::startClientAt);
  }

  /** Starts one more client. */
  RecordingClients startClientAt(StageNode actor) {
    currentNode.add(actor);
    String prefix = "busy-" + currentNode.size() + "-";
    clients.add(
        actor.beginCall(
            () -> {
              for (int i = 1; !stopped; i++) {
                runStep(actor, prefix + i % KEY_COUNT, i);
              }
              return true;
            }));
    return this;
  }

  private void runStep(StageNode actor, String key, int i) {
    try {
      if (i % 7 == 3) {
        incrementCounter(actor);
      } else {
        write(actor, key, i);
      }
    } catch (GridException e) {
      failures.add(e);
    }
    stage.restNode(actor, THINK_NANOS);
  }

  /** Makes a call, which must end in time, not counting pauses of its own node. */
  private @Nullable String timeCall(
      StageNode actor, Function<Cache<String, String>, @Nullable String> call) {
    long began = stage.nowNanos() - actor.pausedNanos();
    try {
      return call.apply(actor.cache());
    } finally {
      long took = stage.nowNanos() - actor.pausedNanos() - began;
      if (took > MAX_CALL_NANOS) {
        wrongReads.add("a call at " + actor + " took " + took / 1_000_000 + " ms");
      }
    }
  }

  private void incrementCounter(StageNode actor) {
    maxIncrements++;
    try {
      timeCall(actor, cache -> cache.merge(COUNTER, "1", RecordingClients::addTexts));
      acknowledgedIncrements++;
    } catch (IndeterminateException e) {
      throw e;
    } catch (GridException e) {
      maxIncrements--;
      throw e;
    }
  }

  private static String addTexts(String one, String other) {
    return Integer.toString(number(one) + number(other));
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }

  private void write(StageNode actor, String key, int i) {
    Set<@Nullable String> before = possibleValuesOf(key);
    @Nullable String value = i % 5 == 0 ? null : "v" + i;
    Set<@Nullable String> perhaps = new HashSet<>(before);
    perhaps.add(value);
    possibleValues.put(key, perhaps);
    try {
      checkRead(
          key,
          before,
          timeCall(actor, cache -> value == null ? cache.remove(key) : cache.put(key, value)));
      possibleValues.put(key, setOf(value));
      written++;
    } catch (IndeterminateException e) {
      throw e;
    } catch (GridException e) {
      // Refused: it must not have happened.
      possibleValues.put(key, before);
      throw e;
    }
    @Nullable String found = timeCall(actor, cache -> cache.get(key));
    checkRead(key, possibleValuesOf(key), found);
    possibleValues.put(key, setOf(found));
  }

  private Set<@Nullable String> possibleValuesOf(String key) {
    return possibleValues.getOrDefault(key, setOf(null));
  }

  private static Set<@Nullable String> setOf(@Nullable String value) {
    Set<@Nullable String> one = new HashSet<>();
    one.add(value);
    return one;
  }

  private void checkRead(String key, Set<@Nullable String> expected, @Nullable String found) {
    if (!expected.contains(found)) {
      wrongReads.add(key + " was " + found + " and can only be " + expected);
    }
  }

  /** Lets the clients write for a while. */
  RecordingClients workFor(Duration time) {
    stage.advanceTime(time);
    return this;
  }

  /** Returns how many writes were acknowledged so far. */
  int writeCount() {
    return written;
  }

  /** Returns the exceptions of calls that the promises allow. */
  List<GridException> failureCount() {
    return failures;
  }

  /** Ends the clients, and checks at every node that everything they were told holds. */
  void checkAll() {
    stopped = true;
    for (int i = 0; i < clients.size(); i++) {
      if (currentNode.get(i).isAlive()) {
        clients.get(i).value();
      }
    }
    for (StageNode actor : stage.steadyNodes()) {
      actor.call(
          () -> {
            for (String key : List.copyOf(possibleValues.keySet())) {
              @Nullable String found = actor.cache().get(key);
              checkRead(key, possibleValuesOf(key), found);
              possibleValues.put(key, setOf(found));
            }
            return true;
          });
      @Nullable String total = actor.call(() -> actor.cache().get(COUNTER));
      assertThat(total == null ? 0 : number(total))
          .isBetween(acknowledgedIncrements, maxIncrements);
    }
    assertThat(wrongReads).isEmpty();
  }
}
