package io.cantle.core.stream;

import io.cantle.DecodingException;
import io.cantle.FunctionException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.call.CallLoop;
import io.cantle.core.codec.Codec;
import io.cantle.core.codec.DecodingErrors;
import io.cantle.core.scan.PartialReader;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.stream.ExternalSort.FirstElements;
import io.cantle.core.stream.PipelineTask.RecordedStages;
import io.cantle.core.stream.PipelineTask.Terminal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collector;
import org.jspecify.annotations.Nullable;

/**
 * The calling side of every terminal operation that owners run: sends what they need and merges
 * their results. Elements are boxed, whatever the kind of the stream.
 *
 * <p><b>Threading:</b> one thread.
 */
@SuppressWarnings("unchecked")
final class TerminalOperations {
  /** The longest result of an owner that is copied to check how it is combined. */
  private static final int MAX_CHECKED_BYTES = 1 << 20;

  private final Pipeline pipeline;
  private final RecordedStages recordedStages;
  private final CacheStreamSource<?, ?> origin;
  private final Codec codec;
  private final ReductionCheck check;

  TerminalOperations(Pipeline pipeline) {
    this.pipeline = pipeline;
    this.recordedStages = pipeline.recordedStages();
    this.origin = pipeline.origin();
    this.codec = origin.codec();
    this.check = new ReductionCheck();
  }

  /** Has the owners run a task and passes their results on until no more are wanted. */
  private void reduceUntil(byte[] task, PartialReader partial) {
    origin.scanner().reduce(task, pipeline.options(), partial);
  }

  private void reduceAll(byte[] task, Consumer<Input> partial) {
    reduceUntil(
        task,
        in -> {
          partial.accept(in);
          return true;
        });
  }

  private byte[] encodeTask(Terminal kind, String method, Object... functions) {
    // A null function is reported before another one is refused.
    for (Object function : functions) {
      Objects.requireNonNull(function);
    }
    return recordedStages.encodeTask(
        kind,
        method,
        out -> {
          for (Object function : functions) {
            recordedStages.writeFunction(method, function, codec, out);
          }
        });
  }

  long count() {
    if (!recordedStages.hasStages()) {
      return origin.scanner().count(pipeline.options());
    }
    long[] count = new long[1];
    reduceAll(recordedStages.encodeTask(Terminal.COUNT), in -> count[0] += in.readVarint());
    return count[0];
  }

  <R, A> R collect(Supplier<? extends Collector<?, A, R>> supplier) {
    byte[] task = encodeTask(Terminal.COLLECT, "collect", supplier);
    Collector<?, A, R> collector = supplier.get();
    ReductionCheck.checkNewContainers("collect", collector.supplier(), collector.combiner());
    DistributedCollector collecting =
        new DistributedCollector(
            (Collector<Object, Object, Object>) (Collector<?, ?, ?>) collector, codec);
    reduceAll(task, collecting::merge);
    return (R) collecting.finish();
  }

  <R> R collect(Supplier<R> supplier, Object accumulator, BiConsumer<R, R> combiner) {
    Objects.requireNonNull(combiner);
    byte[] task = encodeTask(Terminal.COLLECT_INTO, "collect", supplier, accumulator);
    R result = supplier.get();
    CollectorStateCodec stateCodec = new CollectorStateCodec(codec);
    BinaryOperator<R> combined =
        (left, right) -> {
          combiner.accept(left, right);
          return left;
        };
    reduceAll(
        task,
        in ->
            combineChecked(
                "collect",
                supplier,
                copy -> (R) Objects.requireNonNull(stateCodec.read(copy)),
                combined,
                result,
                in));
    return result;
  }

  /**
   * Combines a result so far with what comes next.
   *
   * @param identity makes what both of them began with
   * @param reader reads what comes next
   */
  private <U> U combineChecked(
      String method,
      Supplier<U> identity,
      Function<Input, U> reader,
      BinaryOperator<U> combiner,
      U result,
      Input in) {
    int start = in.position();
    U next = reader.apply(in);
    int length = in.position() - start;
    if (length <= MAX_CHECKED_BYTES) {
      Supplier<U> copies = () -> reader.apply(new Input(in.array(), start, length));
      check.checkIdentity(
          method, identity, copies, combiner, !CollectorStateCodec.losesBehaviour(next));
    }
    return combiner.apply(result, next);
  }

  <U> U fold(@Nullable U identity, Object accumulator, BinaryOperator<U> combiner) {
    Objects.requireNonNull(accumulator);
    Objects.requireNonNull(combiner);
    byte[] task =
        recordedStages.encodeTask(
            Terminal.FOLD,
            "reduce",
            out -> {
              recordedStages.writeValue("reduce", identity, origin.elementCodec(), out);
              recordedStages.writeFunction("reduce", accumulator, codec, out);
            });
    ElementCodec elementCodec = origin.elementCodec();
    Output sent = new Output(64);
    elementCodec.write(identity, sent);
    List<U> result = new ArrayList<>(1);
    result.add(identity);
    reduceAll(
        task,
        in ->
            result.set(
                0,
                combineChecked(
                    "reduce",
                    () -> (U) elementCodec.read(sent.toInput()),
                    copy -> (U) elementCodec.read(copy),
                    combiner,
                    result.getFirst(),
                    in)));
    return result.getFirst();
  }

  /**
   * Combines the owners' results, and a first element if there is one, into at most one.
   *
   * <p>The identity of a reduction is such a first element. It stays on this node and counts once,
   * so it need not be sent, nor even be an identity.
   */
  <T> List<T> reduce(Object accumulator, List<T> first) {
    byte[] task = encodeTask(Terminal.REDUCE, "reduce", accumulator);
    BinaryOperator<T> operator =
        (BinaryOperator<T>) recordedStages.elementKind().binaryOperator(accumulator);
    return combineResults(
        task,
        (left, right) -> {
          ReductionCheck.checkAssociative(left, right, right, operator);
          return operator.apply(left, right);
        },
        first);
  }

  /** Returns the least element, or none. */
  <T> List<T> min(Comparator<? super T> order) {
    return combineResults(
        encodeTask(Terminal.MIN, "min", order), BinaryOperator.minBy(order), List.of());
  }

  /** Returns the greatest element, or none. */
  <T> List<T> max(Comparator<? super T> order) {
    return combineResults(
        encodeTask(Terminal.MAX, "max", order), BinaryOperator.maxBy(order), List.of());
  }

  private <T> List<T> combineResults(byte[] task, BinaryOperator<T> combiner, List<T> first) {
    List<T> result = new ArrayList<>(first);
    reduceAll(task, in -> addResult(in, result, combiner));
    return result;
  }

  private <T> void addResult(Input in, List<T> result, BinaryOperator<T> combiner) {
    if (in.readBoolean()) {
      T element = (T) origin.elementCodec().read(in);
      if (result.isEmpty()) {
        result.add(element);
      } else {
        result.set(0, combiner.apply(result.getFirst(), element));
      }
    }
  }

  boolean anyMatch(String method, Object predicate) {
    return findDecisive(Terminal.ANY_MATCH, method, predicate, true);
  }

  boolean allMatch(Object predicate) {
    return !findDecisive(Terminal.ALL_MATCH, "allMatch", predicate, false);
  }

  /**
   * Whether some part of the cache had the answer that decides the whole; then no more are
   * requested.
   */
  private boolean findDecisive(Terminal kind, String method, Object predicate, boolean decisive) {
    boolean[] decided = new boolean[1];
    reduceUntil(
        encodeTask(kind, method, predicate),
        in -> {
          decided[0] |= in.readBoolean() == decisive;
          return !decided[0];
        });
    return decided[0];
  }

  /** Returns any element, or none. */
  <T> List<T> findAny() {
    List<T> found = new ArrayList<>(1);
    reduceUntil(
        recordedStages.encodeTask(Terminal.FIND_ANY),
        in -> {
          // Several threads of one owner may each have found an element.
          addResult(in, found, (first, _) -> first);
          return found.isEmpty();
        });
    return found;
  }

  void forEach(Object action) {
    act(encodeTask(Terminal.FOR_EACH, "forEachOnOwners", action));
  }

  /** Runs an action for each element, with the cache as opened on the owner. */
  void forEachWithCache(Object action) {
    act(
        recordedStages.encodeTask(
            Terminal.FOR_EACH_WITH_CACHE,
            "forEachWithCache",
            out ->
                recordedStages.writeFunction(
                    "forEachWithCache", Objects.requireNonNull(action), codec, out)));
  }

  /**
   * Runs a task that is run for what it does. Where it fails once an owner was asked, it may have
   * done something before, so no exception may say that calling again is safe.
   */
  private void act(byte[] task) {
    AtomicBoolean sent = new AtomicBoolean();
    try {
      reduceUntil(
          task,
          new PartialReader() {
            @Override
            public boolean read(Input partial) {
              return true;
            }

            @Override
            public void onSend() {
              sent.setPlain(true);
            }
          });
    } catch (DecodingException e) {
      throw DecodingErrors.afterActions(e);
    } catch (FunctionException e) {
      throw new FunctionException(e.nodeName(), Objects.requireNonNull(e.getCause()), true);
    } catch (GridException e) {
      throw e.retrySafe() && sent.getPlain() ? afterActions(e) : e;
    }
  }

  private static IndeterminateException afterActions(GridException ended) {
    String why = String.valueOf(ended.getMessage()).replace(CallLoop.RETRY_IS_SAFE, "");
    return new IndeterminateException(
        "the action may have run for some elements, and for which is not known, because the call"
            + " could not end: %s. Call it again if running it twice for an element does no harm"
                .formatted(why),
        ended);
  }

  /** Collects the summaries that owners make of their numbers. */
  void collectSummaries(Consumer<Input> summary) {
    reduceAll(recordedStages.encodeTask(Terminal.SUMMARY), summary);
  }

  /**
   * Returns this many first elements in an order; null if they take more memory than a sort may.
   */
  @Nullable List<Object> firstSorted(int count, Pipeline.LocalStage.Sorted sorted) {
    byte[] order = Objects.requireNonNull(sorted.encodedOrder());
    byte[] task =
        recordedStages.encodeTask(
            Terminal.FIRST,
            "sorted",
            out -> {
              out.writeVarint(count);
              out.write(order);
            });
    FirstElements first = new FirstElements(count, sorted.order());
    ScanOptions options = pipeline.options();
    // Listeners are called once it is certain that nothing is read again.
    List<Integer> completed = new ArrayList<>();
    boolean[] tooMuch = new boolean[1];
    origin
        .scanner()
        .reduce(
            task,
            options.listeners().isEmpty() ? options : options.listeners(List.of(completed::add)),
            in -> {
              int elements = in.readCount(PipelineTask.MAX_FIRST_ELEMENTS);
              for (int i = 0; i < elements; i++) {
                int startPosition = in.position();
                Object element = origin.elementCodec().read(in);
                first.add(element, in.position() - startPosition);
              }
              tooMuch[0] = first.bytes() > ExternalSort.BUDGET_BYTES;
              return !tooMuch[0];
            });
    if (tooMuch[0]) {
      return null;
    }
    completed.forEach(options::notifyCompleted);
    return first.toSortedList();
  }
}
