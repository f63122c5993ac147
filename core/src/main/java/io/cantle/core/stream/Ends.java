package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.stream.Sorting.First;
import io.cantle.core.stream.Task.Recording;
import io.cantle.core.stream.Task.Terminal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The asker's half of every operation that ends a stream on the owners: it sends what they need and
 * merges what they answer. Elements are boxed, whatever the shape of the stream.
 *
 * <p><b>Threading:</b> one thread.
 */
@SuppressWarnings("unchecked")
final class Ends {
  private final Pipeline pipeline;
  private final Recording recording;
  private final Streams<?, ?> origin;
  private final Codec codec;

  Ends(Pipeline pipeline) {
    this.pipeline = pipeline;
    this.recording = pipeline.recording();
    this.origin = pipeline.origin();
    this.codec = origin.codec();
  }

  /** Has the owners run it, and is given their results while it says that it wants more. */
  private void run(byte[] task, java.util.function.Predicate<Input> partial) {
    origin.scans().reduce(task, pipeline.options(), partial);
  }

  private void runAll(byte[] task, Consumer<Input> partial) {
    run(
        task,
        in -> {
          partial.accept(in);
          return true;
        });
  }

  private byte[] task(Terminal.Kind kind, String method, Object... functions) {
    // That one is null is said before another is refused.
    for (Object function : functions) {
      Objects.requireNonNull(function);
    }
    return recording.end(
        kind,
        method,
        out -> {
          for (Object function : functions) {
            recording.function(method, function, codec, out);
          }
        });
  }

  long count() {
    if (!recording.hasStages()) {
      return origin.scans().count(pipeline.options());
    }
    long[] count = new long[1];
    runAll(recording.end(Terminal.Kind.COUNT), in -> count[0] += in.readVarint());
    return count[0];
  }

  <R, A> R collect(Supplier<? extends Collector<?, A, R>> supplier) {
    byte[] task = task(Terminal.Kind.COLLECT, "collect", supplier);
    Gathering gathering =
        new Gathering(
            (Collector<Object, Object, Object>) (Collector<?, ?, ?>) supplier.get(), codec);
    runAll(task, gathering::merge);
    return (R) gathering.finish();
  }

  <R> R collect(Supplier<R> supplier, Object accumulator, BiConsumer<R, R> combiner) {
    Objects.requireNonNull(combiner);
    byte[] task = task(Terminal.Kind.COLLECT_INTO, "collect", supplier, accumulator);
    R result = supplier.get();
    ContainerForm form = new ContainerForm(codec);
    runAll(task, in -> combiner.accept(result, (R) Objects.requireNonNull(form.read(in))));
    return result;
  }

  <U> U fold(@Nullable U identity, Object accumulator, BinaryOperator<U> combiner) {
    Objects.requireNonNull(accumulator);
    Objects.requireNonNull(combiner);
    byte[] task =
        recording.end(
            Terminal.Kind.FOLD,
            "reduce",
            out -> {
              recording.value("reduce", identity, origin.elementForm(), out);
              recording.function("reduce", accumulator, codec, out);
            });
    List<U> result = new ArrayList<>(1);
    result.add(identity);
    runAll(task, in -> result.set(0, combiner.apply(result.getFirst(), (U) origin.element(in))));
    return result.getFirst();
  }

  /**
   * Combines what the owners answer, and a first element if there is one, into at most one.
   *
   * <p>The identity of a reduction is such a first element: it stays here and counts once, so that
   * it need not be sent, nor even be one.
   */
  <T> List<T> reduce(Object accumulator, List<T> first) {
    return combined(
        task(Terminal.Kind.REDUCE, "reduce", accumulator),
        (BinaryOperator<T>) recording.shape().binary(accumulator),
        first);
  }

  /** The least element, or none. */
  <T> List<T> min(Comparator<? super T> order) {
    return combined(task(Terminal.Kind.MIN, "min", order), BinaryOperator.minBy(order), List.of());
  }

  /** The greatest element, or none. */
  <T> List<T> max(Comparator<? super T> order) {
    return combined(task(Terminal.Kind.MAX, "max", order), BinaryOperator.maxBy(order), List.of());
  }

  private <T> List<T> combined(byte[] task, BinaryOperator<T> combiner, List<T> first) {
    List<T> result = new ArrayList<>(first);
    runAll(
        task,
        in -> {
          if (in.readBoolean()) {
            T element = (T) origin.element(in);
            if (result.isEmpty()) {
              result.add(element);
            } else {
              result.set(0, combiner.apply(result.getFirst(), element));
            }
          }
        });
    return result;
  }

  boolean anyMatch(String method, Object predicate) {
    return decided(Terminal.Kind.ANY_MATCH, method, predicate, true);
  }

  boolean allMatch(Object predicate) {
    return !decided(Terminal.Kind.ALL_MATCH, "allMatch", predicate, false);
  }

  /** Whether some part of the cache answered what decides the whole; then no more are asked. */
  private boolean decided(Terminal.Kind kind, String method, Object predicate, boolean decisive) {
    boolean[] decided = new boolean[1];
    run(
        task(kind, method, predicate),
        in -> {
          decided[0] |= in.readBoolean() == decisive;
          return !decided[0];
        });
    return decided[0];
  }

  /** Any element, or none. */
  <T> List<T> findAny() {
    List<T> found = new ArrayList<>(1);
    run(
        recording.end(Terminal.Kind.FIND_ANY),
        in -> {
          // Several threads of one owner may each have found one.
          if (in.readBoolean()) {
            T element = (T) origin.element(in);
            if (found.isEmpty()) {
              found.add(element);
            }
          }
          return found.isEmpty();
        });
    return found;
  }

  void forEach(Object action) {
    runAll(task(Terminal.Kind.FOR_EACH, "forEach", action), in -> {});
  }

  /** For each element, with the cache as it is opened on the owner. */
  void forEachIn(Object action) {
    runAll(
        recording.end(
            Terminal.Kind.FOR_EACH_IN,
            "forEach",
            out -> {
              out.writeString(origin.cache().name());
              recording.function("forEach", Objects.requireNonNull(action), codec, out);
            }),
        in -> {});
  }

  /** The summaries that the owners make of their numbers. */
  void summaries(Consumer<Input> summary) {
    runAll(recording.end(Terminal.Kind.SUMMARY), summary);
  }

  /** The first so many in an order, in order; null if they take more memory than a sort may. */
  @Nullable List<Object> first(int count, Pipeline.Here.Sorted sorted) {
    byte[] order = Objects.requireNonNull(sorted.sent());
    byte[] task =
        recording.end(
            Terminal.Kind.FIRST,
            "sorted",
            out -> {
              out.writeVarint(count);
              out.write(order);
            });
    First first = new First(count, sorted.order());
    ScanOptions options = pipeline.options();
    // They are told when it is known that nothing is read again.
    List<Integer> completed = new ArrayList<>();
    boolean[] tooMuch = new boolean[1];
    origin
        .scans()
        .reduce(
            task,
            options.listeners().isEmpty() ? options : options.listeners(List.of(completed::add)),
            in -> {
              int elements = in.readCount(Task.FIRST_MAX);
              for (int i = 0; i < elements; i++) {
                int at = in.position();
                Object element = origin.element(in);
                first.add(element, in.position() - at);
              }
              tooMuch[0] = first.bytes() > Sorting.BUDGET_BYTES;
              return !tooMuch[0];
            });
    if (tooMuch[0]) {
      return null;
    }
    completed.forEach(segment -> options.listeners().forEach(one -> one.completed(segment)));
    return first.inOrder();
  }
}
