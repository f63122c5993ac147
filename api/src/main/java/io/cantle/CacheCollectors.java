package io.cantle;

import io.cantle.function.SerializableSupplier;
import java.util.stream.Collector;

/** Collectors for the owners of entries. */
public interface CacheCollectors {

  /**
   * A collector that can be sent, because each node makes its own: the form for code that wants a
   * {@link Collector}. {@link CacheStream#collect(SerializableSupplier)} does the same with less.
   */
  static <T, A, R> SerializableSupplier<Collector<? super T, A, R>> serializableCollector(
      SerializableSupplier<Collector<? super T, A, R>> supplier) {
    return supplier;
  }
}
