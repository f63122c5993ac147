package io.cantle.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.simulation.Actor;
import io.cantle.simulation.Outcome;
import io.cantle.simulation.Stage;
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
 * Clients that remember what they were told. Each has keys of its own, writes, removes and reads
 * them, so that it is known of each key what may be there; and all add to one counter.
 *
 * <p><b>Threading:</b> the carrier of its seed; each client is a thread of its node.
 */
final class Load {
  private static final int KEYS = 6;
  private static final long THINK_NANOS = 20_000_000;
  private static final String COUNTER = "counter";

  /** No call may take longer: its timeout, and a little for the thread to be woken. */
  private static final long LONGEST_NANOS = Stage.TIMEOUT.plusMillis(500).toNanos();

  private final Stage stage;
  private final Map<String, Set<@Nullable String>> possible = new HashMap<>();
  private final List<Outcome<Boolean>> clients = new ArrayList<>();
  private final List<String> lies = new ArrayList<>();
  private final List<GridException> failures = new ArrayList<>();
  private final List<Actor> at = new ArrayList<>();
  private boolean stopped;
  private int written;
  private int counted;
  private int countedAtMost;

  /** Clients at some nodes, from now on. */
  Load(Stage stage, List<Actor> actors) {
    this.stage = stage;
    actors.forEach(this::at);
  }

  /** One more client. */
  Load at(Actor actor) {
    at.add(actor);
    String prefix = "busy-" + at.size() + "-";
    clients.add(
        actor.begin(
            () -> {
              for (int i = 1; !stopped; i++) {
                step(actor, prefix + i % KEYS, i);
              }
              return true;
            }));
    return this;
  }

  private void step(Actor actor, String key, int i) {
    try {
      if (i % 7 == 3) {
        add(actor);
      } else {
        write(actor, key, i);
      }
    } catch (GridException e) {
      failures.add(e);
    }
    stage.rest(actor, THINK_NANOS);
  }

  /** A call, which must end in time, not counting what its own node stood still. */
  private @Nullable String timed(
      Actor actor, Function<Cache<String, String>, @Nullable String> call) {
    long began = stage.nowNanos() - actor.pausedNanos();
    try {
      return call.apply(actor.cache());
    } finally {
      long took = stage.nowNanos() - actor.pausedNanos() - began;
      if (took > LONGEST_NANOS) {
        lies.add("a call at " + actor + " took " + took / 1_000_000 + " ms");
      }
    }
  }

  private void add(Actor actor) {
    countedAtMost++;
    try {
      timed(actor, cache -> cache.merge(COUNTER, "1", Load::sum));
      counted++;
    } catch (IndeterminateException e) {
      throw e;
    } catch (GridException e) {
      countedAtMost--;
      throw e;
    }
  }

  private static String sum(String one, String other) {
    return Integer.toString(number(one) + number(other));
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }

  private void write(Actor actor, String key, int i) {
    Set<@Nullable String> before = possible(key);
    @Nullable String value = i % 5 == 0 ? null : "v" + i;
    Set<@Nullable String> perhaps = new HashSet<>(before);
    perhaps.add(value);
    possible.put(key, perhaps);
    try {
      check(
          key,
          before,
          timed(actor, cache -> value == null ? cache.remove(key) : cache.put(key, value)));
      possible.put(key, setOf(value));
      written++;
    } catch (IndeterminateException e) {
      throw e;
    } catch (GridException e) {
      // Refused: it must not have happened.
      possible.put(key, before);
      throw e;
    }
    @Nullable String found = timed(actor, cache -> cache.get(key));
    check(key, possible(key), found);
    possible.put(key, setOf(found));
  }

  private Set<@Nullable String> possible(String key) {
    return possible.getOrDefault(key, setOf(null));
  }

  private static Set<@Nullable String> setOf(@Nullable String value) {
    Set<@Nullable String> one = new HashSet<>();
    one.add(value);
    return one;
  }

  private void check(String key, Set<@Nullable String> expected, @Nullable String found) {
    if (!expected.contains(found)) {
      lies.add(key + " was " + found + " and can only be " + expected);
    }
  }

  /** Lets the clients write for a while. */
  Load pass(Duration time) {
    stage.pass(time);
    return this;
  }

  /** How many writes were acknowledged so far. */
  int written() {
    return written;
  }

  /** What calls threw that leaves the promises intact. */
  List<GridException> failures() {
    return failures;
  }

  /** Ends the clients, and looks that everything they were told holds at every node. */
  void check() {
    stopped = true;
    for (int i = 0; i < clients.size(); i++) {
      if (at.get(i).alive()) {
        clients.get(i).value();
      }
    }
    for (Actor actor : stage.steady()) {
      actor.call(
          () -> {
            for (String key : List.copyOf(possible.keySet())) {
              @Nullable String found = actor.cache().get(key);
              check(key, possible(key), found);
              possible.put(key, setOf(found));
            }
            return true;
          });
      @Nullable String total = actor.call(() -> actor.cache().get(COUNTER));
      assertThat(total == null ? 0 : number(total)).isBetween(counted, countedAtMost);
    }
    assertThat(lies).isEmpty();
  }
}
