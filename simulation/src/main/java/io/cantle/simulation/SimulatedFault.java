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
 * What may go wrong in a seed, or change in its membership. Each seed draws its own mix of those
 * that are allowed.
 *
 * <p><b>Threading:</b> immutable.
 */
enum SimulatedFault {
  /** A message never arrives. */
  LOSS(EventKind.LOST),
  /** A message arrives more than once. */
  DUPLICATION(EventKind.DUPLICATED),
  /** One more node. */
  JOIN(EventKind.JOIN),
  /** A node closes its grid. */
  LEAVE(EventKind.LEAVE),
  /** A node is killed. */
  CRASH(EventKind.CRASH),
  /** A node is killed and starts again within two seconds, as another member. */
  RESTART(EventKind.RESTART),
  /** More nodes are killed at once than may be: nothing is promised but an honest answer. */
  OVERLOAD(EventKind.OVERLOAD),
  /** A node stands still, too short a while for anybody to give it up. */
  PAUSE(EventKind.PAUSE),
  /** One or several nodes stand still for up to twenty seconds. */
  LONG_PAUSE(EventKind.LONG_PAUSE),
  /** The clock of a node runs up to one in two hundred too fast or too slow. */
  DRIFT(EventKind.DRIFT),
  /** Views leave out a member that is there, for a while. */
  SUSPICION(EventKind.SUSPICION),
  /** Messages from some nodes to others are lost, those the other way are not. */
  ONE_WAY(EventKind.ONE_WAY),
  /** Two groups of nodes do not hear each other. */
  HALVES(EventKind.HALVES),
  /** Nobody hears one node, and it hears nobody. */
  ALONE(EventKind.ALONE),
  /** Two groups do not hear each other, and one node hears both. */
  BRIDGE(EventKind.BRIDGE),
  /** Each node hears another majority. */
  RING(EventKind.RING),
  /** Three groups do not hear each other. */
  SHARDS(EventKind.SHARDS),
  /** A cut that comes and goes about every second. */
  FLAPPING(EventKind.FLAPPING),
  /** All nodes are killed and start again, which asks for stores. */
  STOP(EventKind.STOP),
  /**
   * The machine of a node is suspended for up to twenty seconds: its monotonic clock stands still.
   * Another goes on while times of day jump, or only the time of day does.
   */
  SUSPENSION(EventKind.SUSPENSION),
  /** A node is killed and starts again with a copy of its store that is some seconds old. */
  OLD_STORE(EventKind.OLD_STORE);

  /** What a system stands that takes every view for the truth. */
  static final Set<SimulatedFault> TRUTHFUL =
      Collections.unmodifiableSet(EnumSet.of(JOIN, LEAVE, CRASH, PAUSE));

  /**
   * What a grid stands whose nodes go on when they are cut off. There a crash may take along what
   * only its victim held, see {@link SoleWriterWorkload}, so that none is too many.
   */
  static final Set<SimulatedFault> APART =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(OVERLOAD, STOP, OLD_STORE)));

  /** What a grid stands whose nodes have stores. */
  static final Set<SimulatedFault> LASTING =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(OVERLOAD)));

  /** Every fault there is for nodes without stores. */
  static final Set<SimulatedFault> ALL =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(STOP, OLD_STORE)));

  /** What is not drawn like the rest: a draw of its own would make other seeds of all. */
  static final Set<SimulatedFault> NOT_DRAWN =
      Collections.unmodifiableSet(EnumSet.of(STOP, SUSPENSION, OLD_STORE));

  /** Those that break the network in two or more. */
  static final Set<SimulatedFault> CUTS =
      Collections.unmodifiableSet(EnumSet.of(ONE_WAY, HALVES, ALONE, BRIDGE, RING, SHARDS));

  private final EventKind kind;

  SimulatedFault(EventKind kind) {
    this.kind = kind;
  }

  /** What is counted when it happens. */
  EventKind kind() {
    return kind;
  }

  /** Whether it happens at moments, and not to every message or clock. */
  boolean isMomentary() {
    return this != LOSS && this != DUPLICATION && this != DRIFT;
  }

  /** Whether views must be able to differ for it to make sense. */
  boolean needsHints() {
    return CUTS.contains(this)
        || this == FLAPPING
        || this == SUSPICION
        || this == LONG_PAUSE
        || this == SUSPENSION;
  }

  /**
   * Reads a list of faults, {@code all} or {@code truthful}.
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

  /** The list that {@link #parse} reads as these. */
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
