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
 * What {@code bench log} measures, in which order and for how long.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cells of each round
 * @param seedCells of the mail's matrix, measured once
 * @param seconds how long a cell is counted, at most
 * @param fioSizes what fio writes at once, each once a round; empty without fio
 */
record LogPlan(List<LogCell> cells, List<LogCell> seedCells, int seconds, List<Integer> fioSizes) {

  /** Uncounted at the begin of each cell: its file is new. */
  static final int SETTLE_MILLIS = 300;

  /** Uncounted at the begin of each JVM. */
  static final int WARM_UP_MILLIS = 1_500;

  /** Rounds where there is time for them. */
  static final int ROUNDS = 5;

  /**
   * What the rounds take together, where the user names no number of them: with what a new checkout
   * takes to be built, less than ten minutes.
   */
  static final int BUDGET_SECONDS = 520;

  /** Loops of large writes vary little, and some logs are shown but nothing is measured by them. */
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

  /** Each variant with each number of writers, and what Cantle's is measured by. */
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

  /** The loop that writes at once what so many writers have on their way. */
  static LogCell limitOf(int writers) {
    LogCell one = LogCell.of(LogVariant.RAW, 1);
    return writers == 1
        ? one
        : new LogCell(one.variant(), 1, limitBytes(writers), one.limit(), one.waitMillis());
  }

  /** The records of so many writers in whole blocks. */
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

  /** Every variant that has a cell. */
  Set<LogVariant> variants() {
    Set<LogVariant> variants = EnumSet.noneOf(LogVariant.class);
    cells.forEach(cell -> variants.add(cell.variant()));
    seedCells.forEach(cell -> variants.add(cell.variant()));
    return variants;
  }

  /** How long a cell is counted. */
  int millis(LogCell cell) {
    boolean isShort =
        cell.recordBytes() > LogCell.RECORD_BYTES || SHOWN_VARIANTS.contains(cell.variant());
    return 1_000 * (isShort ? fioSeconds() : seconds);
  }

  /** How long fio writes. */
  int fioSeconds() {
    return Math.min(seconds, SHORT_SECONDS);
  }

  /** As many rounds as there is time for, at least one. */
  int roundsThatFit() {
    long left = BUDGET_SECONDS - startingMillis() / 1_000;
    return Math.clamp(left * 1_000 / Math.max(1, roundMillis()), 1, ROUNDS);
  }

  /** About how long all of it takes. */
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
