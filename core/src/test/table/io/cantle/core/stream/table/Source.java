package io.cantle.core.stream.table;

import io.cantle.CacheStream;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The source of a pipeline: a cache, or a map of the JDK.
 *
 * <p><b>Threading:</b> that of what it stands for.
 */
public interface Source {

  /** A stream of the entries. */
  CacheStream<Map.Entry<Integer, Trip>> entries();

  /** A stream of the keys. */
  CacheStream<Integer> keys();

  /** A stream of the values. */
  CacheStream<Trip> values();

  /** A source whose pipelines the JDK runs. */
  static Source of(Map<Integer, Trip> trips) {
    return new Source() {
      @Override
      public CacheStream<Map.Entry<Integer, Trip>> entries() {
        return JdkCalls.to(trips.entrySet().stream());
      }

      @Override
      public CacheStream<Integer> keys() {
        return JdkCalls.to(trips.keySet().stream());
      }

      @Override
      public CacheStream<Trip> values() {
        return JdkCalls.to(trips.values().stream());
      }
    };
  }

  /** This source with a change applied to each of its streams before use. */
  default Source withChange(UnaryOperator<CacheStream<Object>> way) {
    Source plain = this;
    return new Source() {
      @Override
      public CacheStream<Map.Entry<Integer, Trip>> entries() {
        return changed(way, plain.entries());
      }

      @Override
      public CacheStream<Integer> keys() {
        return changed(way, plain.keys());
      }

      @Override
      public CacheStream<Trip> values() {
        return changed(way, plain.values());
      }
    };
  }

  // The change does not depend on the type of the elements.
  @SuppressWarnings("unchecked")
  private static <T> CacheStream<T> changed(
      UnaryOperator<CacheStream<Object>> way, CacheStream<T> stream) {
    return (CacheStream<T>) way.apply((CacheStream<Object>) stream);
  }
}
