package io.cantle.bench;

import io.cantle.bench.log.LogCell;
import io.cantle.bench.log.LogVariant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The plan of what {@code bench log} measures, in which order and for how long.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cells of each round
 * @param seedCells of the matrix of the 2013 mail, measured once
 * @param seconds how long a cell is counted, at most
 * @param fioSizes the sizes of fio's writes, each measured once a round; empty without fio
 */
record LogPlan(List<LogCell> cells, List<LogCell> seedCells, int seconds, List<Integer> fioSizes) {

  /** Not counted at the beginning of each cell, because its file is new. */
  static final int SETTLE_MILLIS = 300;

  /** Not counted at the beginning of each JVM. */
  static final int WARM_UP_MILLIS = 1_500;

  /** Rounds where there is time for them. */
  static final int ROUNDS = 5;

  /**
   * How long the rounds take together, where the user does not set their number. With the build of
   * a new checkout, that is less than ten minutes.
   */
  static final int BUDGET_SECONDS = 520;

  /**
   * For loops of large writes, which vary little, and for logs that are shown but not used for
   * comparison.
   */
  private static final int SHORT_SECONDS = 2;

  private static final Set<LogVariant> SHOWN_VARIANTS =
      EnumSet.of(LogVariant.SINGLE_SPINNING, LogVariant.SINGLE_WAITING);

  private static final int BLOCK_BYTES = 4096;
  private static final int START_MILLIS = 700;
  private static final int OPEN_MILLIS = 300;

  private static final List<Integer> SEED_WRITERS = List.of(4, 8, 12, 16, 20);
  private static final List<Integer> SEED_WAITS = List.of(1, 2, 4);

  LogPlan {
    cells = List.copyOf(cells);
    seedCells = List.copyOf(seedCells);
    fioSizes = List.copyOf(fioSizes);
  }

  /**
   * Returns the plan with each variant for each number of writers, and with what Cantle's is
   * compared to.
   */
  static LogPlan of(
      List<Integer> writers,
      Set<LogVariant> variants,
      int seconds,
      boolean seedTable,
      boolean fio) {
    Set<LogCell> cells = new LinkedHashSet<>();
    boolean raw = variants.contains(LogVariant.RAW);
    if (raw) {
      if (variants.contains(LogVariant.CANTLE)) {
        cells.add(LogCell.of(LogVariant.CANTLE, 1));
      }
      cells.add(LogCell.of(LogVariant.RAW, 1));
    }
    for (int count : new TreeSet<>(writers)) {
      for (LogVariant variant : variants) {
        if (variant != LogVariant.RAW) {
          cells.add(LogCell.of(variant, count));
        }
      }
      if (raw) {
        cells.add(limitOf(count));
      }
    }
    List<Integer> fioSizes =
        fio ? new TreeSet<>(writers).stream().map(LogPlan::limitBytes).toList() : List.of();
    return new LogPlan(
        List.copyOf(cells), seedTable ? seedCells(variants) : List.of(), seconds, fioSizes);
  }

  /** Returns the loop that writes at once what this many writers have in flight. */
  static LogCell limitOf(int writers) {
    LogCell one = LogCell.of(LogVariant.RAW, 1);
    return writers == 1
        ? one
        : new LogCell(one.variant(), 1, limitBytes(writers), one.limit(), one.waitMillis());
  }

  /** Returns the size of the records of this many writers in whole blocks. */
  static int limitBytes(int writers) {
    return Math.ceilDiv(writers * LogCell.RECORD_BYTES, BLOCK_BYTES) * BLOCK_BYTES;
  }

  private static List<LogCell> seedCells(Set<LogVariant> variants) {
    List<LogCell> cells = new ArrayList<>();
    for (LogVariant variant : variants) {
      for (int writers : SEED_WRITERS) {
        switch (variant) {
          case WAITING -> {
            for (int wait : SEED_WAITS) {
              for (int limit : List.of(writers, 2 * writers, writers / 2)) {
                cells.add(new LogCell(variant, writers, LogCell.RECORD_BYTES, limit, wait));
              }
            }
          }
          case RAW, CANTLE_PLATFORM -> {}
          default -> cells.add(LogCell.of(variant, writers));
        }
      }
    }
    return cells;
  }

  /** Returns every variant that has a cell. */
  Set<LogVariant> variants() {
    Set<LogVariant> variants = EnumSet.noneOf(LogVariant.class);
    cells.forEach(cell -> variants.add(cell.variant()));
    seedCells.forEach(cell -> variants.add(cell.variant()));
    return variants;
  }

  /** Returns how long a cell is counted. */
  int millis(LogCell cell) {
    boolean isShort =
        cell.recordBytes() > LogCell.RECORD_BYTES || SHOWN_VARIANTS.contains(cell.variant());
    return 1_000 * (isShort ? fioSeconds() : seconds);
  }

  /** Returns how long fio writes. */
  int fioSeconds() {
    return Math.min(seconds, SHORT_SECONDS);
  }

  /** Returns how many rounds there is time for, at least one. */
  int roundsThatFit() {
    long left = BUDGET_SECONDS - startingMillis() / 1_000;
    return Math.clamp(left * 1_000 / Math.max(1, roundMillis()), 1, ROUNDS);
  }

  /** Returns about how long all of it takes. */
  long expectedSeconds(int rounds) {
    return (startingMillis() + rounds * roundMillis() + millisOf(seedCells)) / 1_000;
  }

  private long startingMillis() {
    return (long) variants().size() * (START_MILLIS + WARM_UP_MILLIS);
  }

  private long roundMillis() {
    return millisOf(cells) + fioSizes.size() * (1_000L * fioSeconds() + START_MILLIS);
  }

  private long millisOf(List<LogCell> measured) {
    return measured.stream().mapToLong(cell -> millis(cell) + SETTLE_MILLIS + OPEN_MILLIS).sum();
  }
}
