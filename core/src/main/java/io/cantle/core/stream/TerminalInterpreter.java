package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.CaptureSnapshot;
import io.cantle.core.codec.Codec;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.stream.ExternalSort.FirstElements;
import io.cantle.core.stream.PipelineTask.Terminal;
import java.util.Comparator;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collector;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a terminal operation needs, and says what an owner does with the elements. The
 * functions that combine and finish the results of owners stay on the calling node.
 *
 * <p><b>Threading:</b> any thread; the functions are the user's and run where they are called.
 */
final class TerminalInterpreter {
  /** Marks that there is no element yet, because null may be an element. */
  private static final Object NO_ELEMENT = new Object();

  private final Codec codec;
  private final ElementCodec elementCodec;
  private final Function<CacheIdentity, ?> caches;

  /**
   * Creates an interpreter.
   *
   * @param caches opens a cache on this node
   */
  TerminalInterpreter(Codec codec, Function<CacheIdentity, ?> caches) {
    this.codec = codec;
    this.elementCodec = new ElementCodec(codec);
    this.caches = caches;
  }

  /** Turns boxed elements into the partial result of an owner. */
  interface ElementReduction {
    /** Consumes the elements, which are of the cache with this index, and writes the result. */
    void reduce(CacheIdentity cache, Stream<Object> elements, Output partial);
  }

  /**
   * Reads what a terminal operation needs.
   *
   * @param elementKind the kind of the elements
   * @param captures is to know what the functions have captured
   * @throws MalformedException if it is malformed, or a function is not allowed here
   * @throws ClassCastException if a function has the wrong type
   */
  @SuppressWarnings("unchecked")
  ElementReduction read(
      Terminal terminal, ElementKind elementKind, Input in, CaptureSnapshot captures) {
    return switch (terminal) {
      case ELEMENTS, DISTINCT -> refuse("a task without a terminal operation has no single result");
      case COUNT -> refuse("a count is done without boxed elements");
      case SUMMARY -> {
        if (elementKind == ElementKind.OBJECT) {
          throw new MalformedException("only numbers have a summary");
        }
        yield refuse("a summary is done without boxed elements");
      }
      case COLLECT -> {
        Supplier<Collector<Object, Object, Object>> collector =
            (Supplier<Collector<Object, Object, Object>>) codec.decodeFunction(in, captures);
        yield (_, elements, partial) ->
            new DistributedCollector(collector.get(), codec).accumulate(elements, partial);
      }
      case COLLECT_INTO -> {
        Supplier<Object> supplier = (Supplier<Object>) codec.decodeFunction(in, captures);
        BiConsumer<Object, Object> accumulator =
            elementKind.accumulator(codec.decodeFunction(in, captures));
        yield (_, elements, partial) -> {
          Object container = supplier.get();
          elements.forEach(element -> accumulator.accept(container, element));
          new CollectorStateCodec(codec).write(container, false, partial);
        };
      }
      case REDUCE -> {
        BinaryOperator<Object> operator =
            elementKind.binaryOperator(codec.decodeFunction(in, captures));
        yield (_, elements, partial) -> {
          CheckedReducer reducer = new CheckedReducer(operator);
          elements.forEach(reducer);
          writeOptional(reducer.result, partial);
        };
      }
      case MIN ->
          combine(BinaryOperator.minBy((Comparator<Object>) codec.decodeFunction(in, captures)));
      case MAX ->
          combine(BinaryOperator.maxBy((Comparator<Object>) codec.decodeFunction(in, captures)));
      case FOLD -> {
        Object identity = elementCodec.read(in);
        yield fold(
            identity, (BiFunction<Object, Object, Object>) codec.decodeFunction(in, captures));
      }
      case ANY_MATCH -> {
        Predicate<Object> predicate = elementKind.predicate(codec.decodeFunction(in, captures));
        yield (_, elements, partial) -> partial.writeBoolean(elements.anyMatch(predicate));
      }
      case ALL_MATCH -> {
        Predicate<Object> predicate = elementKind.predicate(codec.decodeFunction(in, captures));
        yield (_, elements, partial) -> partial.writeBoolean(elements.allMatch(predicate));
      }
      case FIND_ANY ->
          (_, elements, partial) -> writeOptional(elements.findAny().orElse(NO_ELEMENT), partial);
      case FOR_EACH -> {
        Consumer<Object> action = elementKind.consumer(codec.decodeFunction(in, captures));
        yield (_, elements, partial) -> elements.forEach(action);
      }
      case FOR_EACH_WITH_CACHE -> {
        // An action gets a cache and an element, as an accumulator gets a container and one.
        BiConsumer<Object, Object> action =
            elementKind.accumulator(codec.decodeFunction(in, captures));
        yield (cache, elements, partial) -> {
          Object opened = caches.apply(cache);
          elements.forEach(element -> action.accept(opened, element));
        };
      }
      case FIRST -> {
        int count = in.readCount(PipelineTask.MAX_FIRST_ELEMENTS);
        Comparator<Object> order = readOrder(in, captures);
        yield (_, elements, partial) -> {
          FirstElements first = new FirstElements(count, order);
          elements.forEach(element -> first.add(element, 0));
          elementCodec.writeResults(first.toSortedList(), partial);
        };
      }
    };
  }

  @SuppressWarnings("unchecked")
  private Comparator<Object> readOrder(Input in, CaptureSnapshot captures) {
    int order = in.readByte();
    return switch (order) {
      case PipelineTask.NATURAL_ORDER -> ExternalSort.NATURAL_ORDER;
      case PipelineTask.REVERSE_ORDER -> ExternalSort.NATURAL_ORDER.reversed();
      case PipelineTask.ORDER_BY_FUNCTION ->
          (Comparator<Object>) codec.decodeFunction(in, captures);
      default -> throw new MalformedException("unknown order of elements: " + order);
    };
  }

  private static ElementReduction refuse(String reason) {
    return (_, elements, partial) -> {
      throw new IllegalArgumentException(reason);
    };
  }

  /**
   * A reduction whose intermediate result may be null. The JDK's own reduction refuses null, but
   * this is only a part of the whole.
   */
  @SuppressWarnings("ReferenceEquality") // The mark equals nothing but itself.
  private ElementReduction combine(BinaryOperator<Object> accumulator) {
    return (_, elements, partial) ->
        writeOptional(
            elements.reduce(
                NO_ELEMENT,
                (before, element) ->
                    before == NO_ELEMENT ? element : accumulator.apply(before, element)),
            partial);
  }

  /**
   * Reduces elements, and tries on the first of them whether the operator is associative. The
   * origin can only try it on the results of several owners.
   *
   * <p><b>Threading:</b> one thread.
   */
  private static final class CheckedReducer implements Consumer<Object> {
    private final BinaryOperator<Object> operator;
    private Object result = NO_ELEMENT;
    private Object first = NO_ELEMENT;
    private Object second = NO_ELEMENT;
    private int tried;

    CheckedReducer(BinaryOperator<Object> operator) {
      this.operator = operator;
    }

    @Override
    public void accept(Object element) {
      if (tried == 3) {
        result = operator.apply(result, element);
      } else {
        acceptFirst(element);
      }
    }

    private void acceptFirst(Object element) {
      switch (tried++) {
        case 0 -> {
          first = element;
          result = element;
        }
        case 1 -> {
          second = element;
          ReductionCheck.checkAssociative(first, second, second, operator);
          result = operator.apply(result, element);
        }
        default -> {
          ReductionCheck.checkAssociative(first, second, element, operator);
          result = operator.apply(result, element);
        }
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // The mark equals nothing but itself.
  private void writeOptional(@Nullable Object element, Output partial) {
    partial.writeBoolean(element != NO_ELEMENT);
    if (element != NO_ELEMENT) {
      elementCodec.writeResult(element, partial);
    }
  }

  // The JDK allows a null identity, though its types as annotated here do not say so.
  @SuppressWarnings("NullAway")
  private ElementReduction fold(
      @Nullable Object identity, BiFunction<Object, Object, Object> accumulator) {
    return (_, elements, partial) ->
        elementCodec.writeResult(
            elements.reduce(identity, accumulator, (left, right) -> left), partial);
  }
}
