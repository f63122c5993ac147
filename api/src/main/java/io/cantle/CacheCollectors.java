package io.cantle;

import io.cantle.function.SerializableSupplier;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collector;

/**
 * Makes collectors that can run on the owners of entries.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface CacheCollectors {

  /**
   * Returns a collector that runs on the owners: {@code collect(serializableCollector(() ->
   * Collectors.groupingBy(Flight::hour)))}. Each node makes its own collector with the supplier, so
   * the collector itself need not be sent. It is for code that requires a {@link Collector}; {@link
   * CacheStream#collect(SerializableSupplier)} does the same with less.
   */
  static <T, A, R> Collector<T, A, R> serializableCollector(
      SerializableSupplier<Collector<T, A, R>> collectors) {
    return new Sendable<>(collectors, collectors.get());
  }

  /**
   * A collector that carries the supplier of collectors like it.
   *
   * @param collectors makes a collector
   * @param here the collector of this node
   */
  record Sendable<T, A, R>(
      SerializableSupplier<Collector<T, A, R>> collectors, Collector<T, A, R> here)
      implements Collector<T, A, R> {
    @Override
    public Supplier<A> supplier() {
      return here.supplier();
    }

    @Override
    public BiConsumer<A, T> accumulator() {
      return here.accumulator();
    }

    @Override
    public BinaryOperator<A> combiner() {
      return here.combiner();
    }

    @Override
    public Function<A, R> finisher() {
      return here.finisher();
    }

    @Override
    public Set<Characteristics> characteristics() {
      return here.characteristics();
    }
  }
}
