package io.cantle.bench.streams;

import io.cantle.Cache;
import io.cantle.Grid;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The program of the node that runs the pipelines. A round runs each of them over the cache and
 * over the list, one after the other, and compares the results. The first rounds warm up, and their
 * times do not count.
 *
 * <p>It writes lines: {@value #FIGURES} with tabs between name, the medians over the cache and over
 * the list in nanoseconds, and the number of differences; any other line is for the user.
 *
 * <p><b>Threading:</b> the main thread.
 */
public final class StreamRounds {
  /** How a line begins that has the figures of a pipeline. */
  public static final String FIGURES = "figures";

  private static final int BATCH_ENTRIES = 2_000;

  private final Cache<FlightId, FlightOf2013> cache;
  private final FlightList list;
  private final PrintStream console;

  private StreamRounds(Cache<FlightId, FlightOf2013> cache, FlightList list, PrintStream console) {
    this.cache = cache;
    this.list = list;
    this.console = console;
  }

  /** The times and differences of one pipeline. */
  private static final class PipelineTimes {
    private final List<Long> gridNanos = new ArrayList<>();
    private final List<Long> listNanos = new ArrayList<>();
    private int differences;
  }

  /**
   * Runs all rounds.
   *
   * @param args the grid's name, its first port, the file of the flights, how many rounds warm up,
   *     and how many count
   */
  public static void main(String[] args) throws IOException {
    PrintStream console = System.out;
    System.setOut(System.err);
    try {
      FlightList list = FlightList.read(Path.of(args[2]));
      Grid grid = StreamNode.join(args[0], Integer.parseInt(args[1]), 0);
      Cache<FlightId, FlightOf2013> cache = StreamNode.openFlights(grid);
      StreamRounds rounds = new StreamRounds(cache, list, console);
      rounds.load();
      rounds.run(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    } catch (IOException | RuntimeException | LinkageError failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  private void load() {
    long begin = System.nanoTime();
    Map<FlightId, FlightOf2013> batch = HashMap.newHashMap(BATCH_ENTRIES);
    for (Map.Entry<FlightId, FlightOf2013> entry : list.entries()) {
      batch.put(entry.getKey(), entry.getValue());
      if (batch.size() == BATCH_ENTRIES) {
        cache.putAll(batch);
        batch.clear();
      }
    }
    cache.putAll(batch);
    console.printf(
        Locale.ROOT,
        "%d processes, %,d flights loaded in %.1f s%n",
        StreamNode.NODES,
        list.size(),
        (System.nanoTime() - begin) / 1e9);
  }

  private void run(int warmUpRounds, int rounds) {
    List<StreamPipeline> pipelines = StreamPipeline.all();
    List<PipelineTimes> times = pipelines.stream().map(_ -> new PipelineTimes()).toList();
    for (int round = -warmUpRounds; round < rounds; round++) {
      long begin = System.nanoTime();
      for (int i = 0; i < pipelines.size(); i++) {
        runOnce(pipelines.get(i), times.get(i), round);
      }
      console.printf(
          Locale.ROOT,
          "round %d of %d%s: %.1f s%n",
          round < 0 ? round + warmUpRounds + 1 : round + 1,
          round < 0 ? warmUpRounds : rounds,
          round < 0 ? " that warm up" : "",
          (System.nanoTime() - begin) / 1e9);
    }
    for (int i = 0; i < pipelines.size(); i++) {
      PipelineTimes its = times.get(i);
      console.printf(
          Locale.ROOT,
          "%s\t%s\t%d\t%d\t%d%n",
          FIGURES,
          pipelines.get(i).name(),
          median(its.gridNanos),
          median(its.listNanos),
          its.differences);
    }
  }

  /** Runs a pipeline over both, in another order in every other round. */
  private void runOnce(StreamPipeline pipeline, PipelineTimes times, int round) {
    boolean counts = round >= 0;
    boolean listFirst = Math.floorMod(round, 2) == 1;
    Supplier<Object> onList = () -> pipeline.onList().apply(list);
    Object first = listFirst ? time(onList, times.listNanos, counts) : "";
    Object result = time(() -> pipeline.onGrid().apply(cache), times.gridNanos, counts);
    Object expected = listFirst ? first : time(onList, times.listNanos, counts);
    if (!Objects.equals(expected, result)) {
      times.differences++;
      console.println(
          pipeline.name() + ": " + shortened(result) + " and not " + shortened(expected));
    }
  }

  private static Object time(Supplier<Object> run, List<Long> nanos, boolean counts) {
    long begin = System.nanoTime();
    Object result = run.get();
    if (counts) {
      nanos.add(System.nanoTime() - begin);
    }
    return result;
  }

  private static long median(List<Long> nanos) {
    long[] sorted = nanos.stream().flatMapToLong(LongStream::of).toArray();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static String shortened(Object result) {
    String text = String.valueOf(result);
    return text.length() <= 200 ? text : text.substring(0, 200) + "...";
  }
}
