package io.cantle.bench.streams;

import io.cantle.Cache;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A pipeline over the flights, as it is written for a cache and for a list. Both have the same
 * result.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param name in the table
 * @param onGrid over the cache
 * @param onList over the list
 */
record StreamPipeline(
    String name,
    Function<Cache<FlightId, FlightOf2013>, Object> onGrid,
    Function<FlightList, Object> onList) {

  /** Iterates over all entries, which {@link #TO_MAP} is compared with. */
  static final String ITERATE = "iterate";

  /** Collects all entries into a map. */
  static final String TO_MAP = "to_map";

  /** How the names of pipelines begin that sort and take the first ten. */
  static final String SORTED_LIMIT = "sorted_limit";

  /** All pipelines. */
  static List<StreamPipeline> all() {
    List<StreamPipeline> all = new ArrayList<>(ElementPipelines.all());
    all.addAll(CollectPipelines.all());
    return all;
  }
}
