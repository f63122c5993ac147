package io.cantle.core.stream;

import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.core.base.Input;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.publish.Scans;
import io.cantle.core.publish.Scans.Part;
import io.cantle.function.SerializableBiConsumer;
import io.cantle.function.SerializableBiFunction;
import io.cantle.function.SerializableBinaryOperator;
import io.cantle.function.SerializableComparator;
import io.cantle.function.SerializableConsumer;
import io.cantle.function.SerializableFunction;
import io.cantle.function.SerializablePredicate;
import io.cantle.function.SerializableSupplier;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collector;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A stream that is recorded and run by the owners; the asker's half of every operation that is. The
 * objects of one chain of stages share a {@link Recording}, and each of them is used once.
 *
 * <p><b>Threading:</b> one thread, the one that made it.
 */
final class RecordedStream<T> implements OriginStages<T> {
  private final Scans scans;
  private final Codec codec;
  private final ElementForm elementForm;
  private final Recording recording;
  private boolean used;

  RecordedStream(Scans scans, Codec codec, Recording recording) {
    this.scans = scans;
    this.codec = codec;
    this.elementForm = new ElementForm(codec);
    this.recording = recording;
  }

  // Stages on the owners.

  @Override
  public CacheStream<T> filter(SerializablePredicate<? super T> predicate) {
    return stage(Stage.Kind.FILTER, "filter", predicate);
  }

  @Override
  public <R> CacheStream<R> map(SerializableFunction<? super T, ? extends R> mapper) {
    return stage(Stage.Kind.MAP, "map", mapper);
  }

  @Override
  public <R> CacheStream<R> flatMap(
      SerializableFunction<? super T, ? extends Stream<? extends R>> mapper) {
    return stage(Stage.Kind.FLAT_MAP, "flatMap", mapper);
  }

  private <R> CacheStream<R> stage(Stage.Kind kind, String method, Object function) {
    Objects.requireNonNull(function);
    use();
    recording.stage(kind, method, function);
    return new RecordedStream<>(scans, codec, recording);
  }

  // Ends on the owners.

  @Override
  public long count() {
    use();
    if (!recording.hasStages()) {
      return scans.count(ScanOptions.ALL);
    }
    long[] count = new long[1];
    scans.reduce(
        recording.terminal(Terminal.Kind.COUNT).task(),
        ScanOptions.ALL,
        partial -> {
          count[0] += partial.readVarint();
          return true;
        });
    return count[0];
  }

  @Override
  @SuppressWarnings("unchecked")
  public <R, A> R collect(SerializableSupplier<Collector<? super T, A, R>> supplier) {
    use();
    byte[] task = recording.terminal(Terminal.Kind.COLLECT).function("collect", supplier).task();
    Gathering gathering =
        new Gathering(
            (Collector<Object, Object, Object>) (Collector<?, ?, ?>) supplier.get(), codec);
    scans.reduce(
        task,
        ScanOptions.ALL,
        partial -> {
          gathering.merge(partial);
          return true;
        });
    return (R) gathering.finish();
  }

  @Override
  @SuppressWarnings("unchecked")
  public <R> R collect(
      SerializableSupplier<R> supplier,
      SerializableBiConsumer<R, ? super T> accumulator,
      SerializableBiConsumer<R, R> combiner) {
    Objects.requireNonNull(combiner);
    use();
    byte[] task =
        recording
            .terminal(Terminal.Kind.COLLECT_INTO)
            .function("collect", supplier)
            .function("collect", accumulator)
            .task();
    R result = supplier.get();
    ContainerForm containerForm = new ContainerForm(codec);
    scans.reduce(
        task,
        ScanOptions.ALL,
        partial -> {
          combiner.accept(result, (R) Objects.requireNonNull(containerForm.read(partial)));
          return true;
        });
    return result;
  }

  /** The identity stays here and counts once, so that it need not be sent, nor even be one. */
  @Override
  public T reduce(T identity, SerializableBinaryOperator<T> accumulator) {
    List<T> result = new ArrayList<>(1);
    result.add(identity);
    combine(Terminal.Kind.REDUCE, "reduce", accumulator, accumulator, result);
    return result.getFirst();
  }

  @Override
  @SuppressWarnings("unchecked")
  public <U> U reduce(
      U identity,
      SerializableBiFunction<U, ? super T, U> accumulator,
      SerializableBinaryOperator<U> combiner) {
    Objects.requireNonNull(combiner);
    use();
    byte[] task =
        recording
            .terminal(Terminal.Kind.FOLD)
            .identity("reduce", identity)
            .function("reduce", accumulator)
            .task();
    List<U> result = new ArrayList<>(1);
    result.add(identity);
    scans.reduce(
        task,
        ScanOptions.ALL,
        partial -> {
          result.set(0, combiner.apply(result.getFirst(), (U) element(partial)));
          return true;
        });
    return result.getFirst();
  }

  @Override
  public Optional<T> reduce(SerializableBinaryOperator<T> accumulator) {
    return optional(Terminal.Kind.REDUCE, "reduce", accumulator, accumulator);
  }

  @Override
  public Optional<T> min(SerializableComparator<? super T> comparator) {
    return optional(Terminal.Kind.MIN, "min", comparator, BinaryOperator.minBy(comparator));
  }

  @Override
  public Optional<T> max(SerializableComparator<? super T> comparator) {
    return optional(Terminal.Kind.MAX, "max", comparator, BinaryOperator.maxBy(comparator));
  }

  private Optional<T> optional(
      Terminal.Kind kind, String method, Object function, BinaryOperator<T> combiner) {
    List<T> result = new ArrayList<>(1);
    combine(kind, method, function, combiner, result);
    return result.isEmpty() ? Optional.empty() : Optional.of(result.getFirst());
  }

  /** Combines what the owners answer into the one object of the list, if it has one. */
  @SuppressWarnings("unchecked")
  private void combine(
      Terminal.Kind kind,
      String method,
      Object function,
      BinaryOperator<T> combiner,
      List<T> result) {
    Objects.requireNonNull(function);
    use();
    byte[] task = recording.terminal(kind).function(method, function).task();
    scans.reduce(
        task,
        ScanOptions.ALL,
        partial -> {
          if (partial.readBoolean()) {
            T element = (T) element(partial);
            if (result.isEmpty()) {
              result.add(element);
            } else {
              result.set(0, combiner.apply(result.getFirst(), element));
            }
          }
          return true;
        });
  }

  @Override
  public boolean anyMatch(SerializablePredicate<? super T> predicate) {
    return decided(Terminal.Kind.ANY_MATCH, "anyMatch", predicate, true);
  }

  @Override
  public boolean allMatch(SerializablePredicate<? super T> predicate) {
    return !decided(Terminal.Kind.ALL_MATCH, "allMatch", predicate, false);
  }

  @Override
  public boolean noneMatch(SerializablePredicate<? super T> predicate) {
    return !decided(Terminal.Kind.ANY_MATCH, "noneMatch", predicate, true);
  }

  /** Whether some part of the cache answered what decides the whole; then no more are asked. */
  private boolean decided(Terminal.Kind kind, String method, Object predicate, boolean decisive) {
    Objects.requireNonNull(predicate);
    use();
    boolean[] decided = new boolean[1];
    scans.reduce(
        recording.terminal(kind).function(method, predicate).task(),
        ScanOptions.ALL,
        partial -> {
          decided[0] |= partial.readBoolean() == decisive;
          return !decided[0];
        });
    return decided[0];
  }

  /** Any element: a cache has no order, so none is the first. */
  @Override
  public Optional<T> findFirst() {
    return findAny();
  }

  @Override
  @SuppressWarnings("unchecked")
  public Optional<T> findAny() {
    use();
    List<T> found = new ArrayList<>(1);
    scans.reduce(
        recording.terminal(Terminal.Kind.FIND_ANY).task(),
        ScanOptions.ALL,
        partial -> {
          if (partial.readBoolean()) {
            found.add((T) element(partial));
          }
          return found.isEmpty();
        });
    return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
  }

  @Override
  public void forEach(SerializableConsumer<? super T> action) {
    use();
    scans.reduce(
        recording.terminal(Terminal.Kind.FOR_EACH).function("forEach", action).task(),
        ScanOptions.ALL,
        partial -> true);
  }

  // What makes the rest possible.

  @Override
  public CloseableIterator<T> iterator() {
    use();
    return pull();
  }

  @Override
  public Stream<T> here() {
    use();
    int characteristics = recording.distinct() ? Spliterator.DISTINCT : 0;
    return StreamSupport.stream(
            () -> Spliterators.spliteratorUnknownSize(pull(), characteristics),
            characteristics,
            false)
        .onClose(recording::close);
  }

  @Override
  public <R> R endHere(Function<Stream<T>, R> terminal) {
    Stream<T> stream = here();
    try {
      return terminal.apply(stream);
    } finally {
      recording.stopPulling();
    }
  }

  @Override
  public void forEachOrdered(Consumer<? super T> action) {
    Stream<T> stream = here();
    try {
      stream.forEachOrdered(action);
    } finally {
      recording.stopPulling();
    }
  }

  @SuppressWarnings("unchecked")
  private CloseableIterator<T> pull() {
    Part part = recording.part();
    return recording.opened(
        recording.hasStages()
            ? scans.iterate(
                part,
                recording.terminal(Terminal.Kind.ELEMENTS).task(),
                ScanOptions.ALL,
                in -> (T) element(in))
            : scans.iterate(part, null, ScanOptions.ALL, in -> stored(part, in)));
  }

  /** False: owners work side by side whatever is asked for, and this node uses one thread. */
  @Override
  public boolean isParallel() {
    return false;
  }

  @Override
  public CacheStream<T> sequential() {
    return unchanged();
  }

  @Override
  public CacheStream<T> parallel() {
    return unchanged();
  }

  @Override
  public CacheStream<T> unordered() {
    return unchanged();
  }

  @Override
  public CacheStream<T> onClose(Runnable handler) {
    Objects.requireNonNull(handler);
    RecordedStream<T> here = unchanged();
    recording.onClose(handler);
    return here;
  }

  @Override
  public void close() {
    used = true;
    recording.close();
  }

  private RecordedStream<T> unchanged() {
    if (used) {
      throw new IllegalStateException("stream has already been operated upon or closed");
    }
    return this;
  }

  private void use() {
    unchanged().used = true;
  }

  // Elements may be null where the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  private Object element(Input in) {
    return elementForm.read(in);
  }

  @SuppressWarnings("unchecked")
  private T stored(Part part, Input in) {
    return (T) elementForm.readStored(part, in);
  }
}
