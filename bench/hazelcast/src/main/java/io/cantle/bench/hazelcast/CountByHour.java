package io.cantle.bench.hazelcast;

import com.hazelcast.aggregation.Aggregator;
import io.cantle.bench.Flight;
import java.util.HashMap;
import java.util.Map;

/**
 * An aggregator that counts flights by hour. Each member fills its own, and the caller combines
 * them.
 *
 * <p><b>Threading:</b> one thread at a time, Hazelcast's.
 */
final class CountByHour implements Aggregator<Map.Entry<String, Flight>, Map<Integer, Long>> {
  private static final long serialVersionUID = 1;

  private final HashMap<Integer, Long> counts = new HashMap<>();

  @Override
  public void accumulate(Map.Entry<String, Flight> entry) {
    counts.merge(entry.getValue().hour(), 1L, Long::sum);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public void combine(Aggregator other) {
    ((CountByHour) other).counts.forEach((hour, count) -> counts.merge(hour, count, Long::sum));
  }

  @Override
  public Map<Integer, Long> aggregate() {
    return counts;
  }
}
