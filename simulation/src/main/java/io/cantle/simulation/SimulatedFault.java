package io.cantle.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A fault that may happen in a seed, or a change in its membership. Each seed draws its own mix of
 * the allowed faults.
 *
 * <p><b>Threading:</b> immutable.
 */
enum SimulatedFault {
  /** A message never arrives. */
  LOSS(EventKind.LOST),
  /** A message arrives more than once. */
  DUPLICATION(EventKind.DUPLICATED),
  /** One more node joins. */
  JOIN(EventKind.JOIN),
  /** A node closes its grid. */
  LEAVE(EventKind.LEAVE),
  /** A node is killed. */
  CRASH(EventKind.CRASH),
  /** A node is killed and restarts within two seconds, as another member. */
  RESTART(EventKind.RESTART),
  /** More nodes are killed at once than may be. Nothing is promised then but an honest answer. */
  OVERLOAD(EventKind.OVERLOAD),
  /** A node is paused too briefly to be excluded. */
  PAUSE(EventKind.PAUSE),
  /** One or several nodes are paused for up to twenty seconds. */
  LONG_PAUSE(EventKind.LONG_PAUSE),
  /** The clock of a node runs up to one in two hundred too fast or too slow. */
  DRIFT(EventKind.DRIFT),
  /** Views leave out a member for a while although it is present. */
  SUSPICION(EventKind.SUSPICION),
  /** Messages from some nodes to others are lost; those in the other direction are not. */
  ONE_WAY(EventKind.ONE_WAY),
  /** Two groups of nodes do not hear each other. */
  HALVES(EventKind.HALVES),
  /** No node hears one node, and it hears none. */
  ALONE(EventKind.ALONE),
  /** Two groups do not hear each other, and one node hears both. */
  BRIDGE(EventKind.BRIDGE),
  /** Each node hears a different majority. */
  RING(EventKind.RING),
  /** Three groups do not hear each other. */
  SHARDS(EventKind.SHARDS),
  /** A cut that opens and closes about every second. */
  FLAPPING(EventKind.FLAPPING),
  /** All nodes are killed and restart. This needs stores. */
  STOP(EventKind.STOP),
  /**
   * The machine of a node is suspended for up to twenty seconds, and its monotonic clock stands
   * still. Either another clock goes on while times of day jump, or only the time of day goes on.
   */
  SUSPENSION(EventKind.SUSPENSION),
  /** A node is killed and restarts with a copy of its store that is some seconds old. */
  OLD_STORE(EventKind.OLD_STORE);

  /** The faults that a system survives if it takes every view for the truth. */
  static final Set<SimulatedFault> TRUTHFUL =
      Collections.unmodifiableSet(EnumSet.of(JOIN, LEAVE, CRASH, PAUSE));

  /**
   * The faults that a grid survives whose nodes go on when they are cut off. There a crash may lose
   * what only its victim held (see {@link SoleWriterWorkload}), so no number of crashes is too
   * many.
   */
  static final Set<SimulatedFault> APART =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(OVERLOAD, STOP, OLD_STORE)));

  /** The faults that a grid survives whose nodes have stores. */
  static final Set<SimulatedFault> LASTING =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(OVERLOAD)));

  /** Every fault there is for nodes without stores. */
  static final Set<SimulatedFault> ALL =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(STOP, OLD_STORE)));

  /**
   * The faults that are not drawn like the rest, since a draw of their own would change all seeds.
   */
  static final Set<SimulatedFault> NOT_DRAWN =
      Collections.unmodifiableSet(EnumSet.of(STOP, SUSPENSION, OLD_STORE));

  /** The faults that break the network into two or more parts. */
  static final Set<SimulatedFault> CUTS =
      Collections.unmodifiableSet(EnumSet.of(ONE_WAY, HALVES, ALONE, BRIDGE, RING, SHARDS));

  private final EventKind kind;

  SimulatedFault(EventKind kind) {
    this.kind = kind;
  }

  /** Returns the event that is counted when the fault happens. */
  EventKind kind() {
    return kind;
  }

  /** Returns whether it happens at moments, rather than to every message or clock. */
  boolean isMomentary() {
    return this != LOSS && this != DUPLICATION && this != DRIFT;
  }

  /** Returns whether it makes sense only where views can differ. */
  boolean needsHints() {
    return CUTS.contains(this)
        || this == FLAPPING
        || this == SUSPICION
        || this == LONG_PAUSE
        || this == SUSPENSION;
  }

  /**
   * Parses a list of faults, {@code all} or {@code truthful}.
   *
   * @throws IllegalArgumentException with a message for people if a word is none of them
   */
  static Set<SimulatedFault> parse(String words) {
    return switch (words) {
      case "all" -> ALL;
      case "truthful" -> TRUTHFUL;
      default -> {
        Set<SimulatedFault> faults = EnumSet.noneOf(SimulatedFault.class);
        for (String word : words.split(",", -1)) {
          faults.add(ofWord(word));
        }
        yield faults;
      }
    };
  }

  /** Returns the list that {@link #parse} reads as these faults. */
  static String text(Set<SimulatedFault> faults) {
    return faults.stream().map(SimulatedFault::word).collect(Collectors.joining(","));
  }

  private static SimulatedFault ofWord(String word) {
    for (SimulatedFault fault : values()) {
      if (fault.word().equals(word)) {
        return fault;
      }
    }
    List<String> known = new ArrayList<>(List.of("all", "truthful"));
    Arrays.stream(values()).forEach(fault -> known.add(fault.word()));
    throw new IllegalArgumentException("no fault " + word + "; there are " + known);
  }

  private String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
