package io.cantle;

import io.cantle.function.SerializableSupplier;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collector;

/**
 * A collector that {@link CacheStream#collect(Collector)} runs on the owners of the entries: only
 * what it has collected travels. It carries a function with which each node makes a collector like
 * it. {@link CacheCollectors} has those of the JDK, and {@link
 * CacheCollectors#serializableCollector} makes one of any other collector. Over a stream of the JDK
 * it is a collector like any other.
 *
 * <p><b>Threading:</b> immutable, if the functions it was made of are.
 *
 * @param <T> what it collects
 * @param <A> what it collects into
 * @param <R> its result
 */
public final class CacheCollector<T, A, R> implements Collector<T, A, R> {
  private final SerializableSupplier<Collector<T, A, R>> collectors;

  /** The collector of this node. */
  private final Collector<T, A, R> here;

  private final boolean keepsEveryElement;

  /** Creates a collector that collects the same way on each node. */
  CacheCollector(SerializableSupplier<Collector<T, A, R>> collectors) {
    this(collectors, collectors.get(), false);
  }

  /**
   * Creates a collector.
   *
   * @param here what this node collects with
   * @param keepsEveryElement whether its result has something of every element
   */
  CacheCollector(
      SerializableSupplier<Collector<T, A, R>> collectors,
      Collector<T, A, R> here,
      boolean keepsEveryElement) {
    this.collectors = collectors;
    this.here = Objects.requireNonNull(here);
    this.keepsEveryElement = keepsEveryElement;
  }

  /** Returns the function with which each node makes a collector like this one. */
  public SerializableSupplier<Collector<T, A, R>> collectors() {
    return collectors;
  }

  /**
   * Whether its result has something of every element, as a list has. By itself it collects on the
   * calling node then, from elements that owners send as they are stored. That takes less than to
   * make containers there and to merge them here.
   */
  public boolean keepsEveryElement() {
    return keepsEveryElement;
  }

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
