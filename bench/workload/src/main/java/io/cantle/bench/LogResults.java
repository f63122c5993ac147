package io.cantle.bench;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogFigures;
import io.cantle.bench.log.LogVariant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The results of the rounds of {@code bench log}. A ratio is taken within each round, between
 * neighbours in time, and then over the rounds: a slow minute of the machine affects both of its
 * sides.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LogResults {
  private final Map<LogCell, Map<Integer, LogFigures>> figures = new LinkedHashMap<>();
  private final Map<Integer, Map<Integer, Double>> fio = new TreeMap<>();

  /** Adds what a cell measured in a round. */
  void add(int round, LogCell cell, LogFigures measured) {
    figures.computeIfAbsent(cell, absent -> new TreeMap<>()).put(round, measured);
  }

  /** Adds how many writes of a size fio made in a second. */
  void addFio(int round, int bytes, double perSecond) {
    fio.computeIfAbsent(bytes, absent -> new TreeMap<>()).put(round, perSecond);
  }

  /** Returns every cell with a figure, in the order of the first round. */
  Set<LogCell> cells() {
    return new LinkedHashSet<>(figures.keySet());
  }

  /** Returns a figure of a cell over the rounds; null if no round has it. */
  @Nullable RoundSpread spread(LogCell cell, ToDoubleFunction<LogFigures> figure) {
    Map<Integer, LogFigures> rounds = figures.get(cell);
    return rounds == null
        ? null
        : RoundSpread.of(rounds.values().stream().map(figure::applyAsDouble).toList());
  }

  /** Returns the ratio of two cells' figures over the rounds that have both; null if none has. */
  @Nullable RoundSpread ratio(LogCell one, LogCell other, ToDoubleFunction<LogFigures> figure) {
    return ratio(figureByRound(one, figure), figureByRound(other, figure));
  }

  /**
   * Returns all ratios of Cantle's log, by name: with 20 writers, {@code cantle_to_simple_20} is
   * how many times as many appends, {@code cantle_processors_to_simple_20} how many times the
   * processors.
   */
  Map<String, RoundSpread> ratios() {
    Map<String, RoundSpread> ratios = new LinkedHashMap<>();
    for (LogCell cell : figures.keySet()) {
      if (cell.variant() == LogVariant.CANTLE) {
        addRatios(ratios, cell);
      }
    }
    return ratios;
  }

  private void addRatios(Map<String, RoundSpread> ratios, LogCell cantle) {
    int writers = cantle.writers();
    for (LogVariant variant : LogVariant.values()) {
      LogCell other = LogCell.of(variant, writers);
      if (!other.equals(cantle) && figures.containsKey(other)) {
        String name = variant.label().replace('-', '_') + "_" + writers;
        put(ratios, "cantle_to_" + name, ratio(cantle, other, LogFigures::perSecond));
        put(ratios, "cantle_processors_to_" + name, ratio(cantle, other, LogFigures::processors));
      }
    }
    if (writers > 1) {
      Map<Integer, Double> appends = figureByRound(cantle, LogFigures::perSecond);
      Map<Integer, Double> raw =
          figureByRound(LogPlan.limitOf(writers), measured -> writers * measured.perSecond());
      put(ratios, "cantle_share_of_raw_limit_" + writers, ratio(appends, raw));
      put(ratios, "cantle_share_of_fio_limit_" + writers, ratio(appends, fioLimit(writers)));
    }
  }

  /**
   * Returns what fio could write for this many writers, over the rounds; null where it did not run.
   */
  @Nullable RoundSpread fioPerSecond(int writers) {
    Map<Integer, Double> limit = fioLimit(writers);
    return limit.isEmpty() ? null : RoundSpread.of(List.copyOf(limit.values()));
  }

  private Map<Integer, Double> fioLimit(int writers) {
    Map<Integer, Double> limit = new TreeMap<>();
    fio.getOrDefault(LogPlan.limitBytes(writers), Map.of())
        .forEach((round, perSecond) -> limit.put(round, writers * perSecond));
    return limit;
  }

  private Map<Integer, Double> figureByRound(LogCell cell, ToDoubleFunction<LogFigures> figure) {
    Map<Integer, Double> values = new TreeMap<>();
    figures
        .getOrDefault(cell, Map.of())
        .forEach((round, measured) -> values.put(round, figure.applyAsDouble(measured)));
    return values;
  }

  private static @Nullable RoundSpread ratio(Map<Integer, Double> one, Map<Integer, Double> other) {
    List<Double> ratios = new ArrayList<>();
    one.forEach(
        (round, value) -> {
          Double divisor = other.get(round);
          if (divisor != null && divisor > 0) {
            ratios.add(value / divisor);
          }
        });
    return ratios.isEmpty() ? null : RoundSpread.of(ratios);
  }

  private static void put(
      Map<String, RoundSpread> ratios, String name, @Nullable RoundSpread ratio) {
    if (ratio != null) {
      ratios.put(name, ratio);
    }
  }
}
