package io.cantle.core.stream;

import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Tasks;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The owners' half of streams: replays recorded pipelines over live entries.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the thread that asked.
 */
public final class Pipelines implements Tasks {
  /** Holds back a mapper that makes streams without end; one output always fits. */
  private static final int OUTPUT_BYTES_PER_ENTRY_MAX = 16 << 20;

  /** Stands for no element yet, since null may be one. */
  private static final Object NONE = new Object();

  private final Codec codec;
  private final Decoded decoded;
  private final ElementForm elementForm;

  /** Decodes functions with the codec, and entries with what keeps them decoded. */
  public Pipelines(Codec codec, Decoded decoded) {
    this.codec = codec;
    this.decoded = decoded;
    this.elementForm = new ElementForm(codec);
  }

  /**
   * Reads a pipeline that ends in one result.
   *
   * @throws io.cantle.core.base.MalformedException when it is none, or a function is not allowed
   *     here
   */
  @Override
  public Reduction reduction(byte[] bytes) {
    Task task = Task.read(bytes, codec);
    return (entries, partial) -> reduce(task, entries, partial);
  }

  /**
   * Reads a pipeline that ends in elements.
   *
   * @throws io.cantle.core.base.MalformedException when it is none, or a function is not allowed
   *     here
   */
  @Override
  public Transformation transformation(byte[] bytes) {
    return new Elementwise(Task.read(bytes, codec));
  }

  private void reduce(Task task, Iterator<Entry> entries, Output partial) {
    try (Stream<Object> source =
            StreamSupport.stream(new LiveElements(task.part(), entries, decoded), false);
        Stream<Object> elements = Stage.replay(task.stages(), source)) {
      switch (task.terminal()) {
        case Terminal.Elements ignored ->
            throw new IllegalArgumentException("a task without an end has no single result");
        case Terminal.Count ignored -> partial.writeVarint(elements.count());
        case Terminal.Collect collect ->
            new Gathering(collect.collector().get(), codec).accumulate(elements, partial);
        case Terminal.CollectInto into -> {
          Object container = into.supplier().get();
          BiConsumer<Object, Object> accumulator = into.accumulator();
          elements.forEach(element -> accumulator.accept(container, element));
          new ContainerForm(codec).write(container, false, partial);
        }
        case Terminal.Reduce reduce -> optional(elements, reduce.accumulator(), partial);
        case Terminal.Min min ->
            optional(elements, BinaryOperator.minBy(min.comparator()), partial);
        case Terminal.Max max ->
            optional(elements, BinaryOperator.maxBy(max.comparator()), partial);
        case Terminal.Fold fold -> elementForm.write(fold(elements, fold), partial);
        case Terminal.AnyMatch any -> partial.writeBoolean(elements.anyMatch(any.predicate()));
        case Terminal.AllMatch all -> partial.writeBoolean(elements.allMatch(all.predicate()));
        case Terminal.FindAny ignored -> {
          Optional<Object> found = elements.findAny();
          partial.writeBoolean(found.isPresent());
          if (found.isPresent()) {
            elementForm.write(found.get(), partial);
          }
        }
        case Terminal.ForEach forEach -> elements.forEach(forEach.action());
      }
    }
  }

  /**
   * A reduction whose result may be null on the way: the JDK's own would refuse it here, where it
   * is only a part of the whole.
   */
  @SuppressWarnings("ReferenceEquality") // The mark equals nothing but itself.
  private void optional(
      Stream<Object> elements, BinaryOperator<Object> accumulator, Output partial) {
    Object result =
        elements.reduce(
            NONE,
            (before, element) -> before == NONE ? element : accumulator.apply(before, element));
    partial.writeBoolean(result != NONE);
    if (result != NONE) {
      elementForm.write(result, partial);
    }
  }

  // The JDK takes null for an identity, though its types as read here do not say so.
  @SuppressWarnings("NullAway")
  private static @Nullable Object fold(Stream<Object> elements, Terminal.Fold fold) {
    BiFunction<Object, Object, Object> accumulator = fold.accumulator();
    return elements.reduce(fold.identity(), accumulator, (left, right) -> left);
  }

  /** Runs the stages entry by entry. */
  private final class Elementwise implements Transformation {
    private final Task task;
    private final Consumer<Object> chain;
    private @Nullable Entry entry;
    private @Nullable Object source;
    private @Nullable Output out;
    private int start;
    private int count;

    Elementwise(Task task) {
      if (!(task.terminal() instanceof Terminal.Elements)) {
        throw new IllegalArgumentException("a task with an end makes no elements");
      }
      this.task = task;
      this.chain = Stage.chain(task.stages(), this::write);
    }

    @Override
    public void run(Output output, Consumer<Feed> scan) {
      scan.accept(live -> transform(live, output));
    }

    private int transform(Entry live, Output output) {
      Object element = LiveElements.element(task.part(), live, decoded);
      entry = live;
      source = element;
      out = output;
      start = output.position();
      count = 0;
      chain.accept(element);
      return count;
    }

    @SuppressWarnings(
        "ReferenceEquality") // Equal objects may have other bytes, the same has these.
    private void write(@Nullable Object element) {
      Output output = out;
      Entry live = entry;
      if (output == null || live == null) {
        throw new IllegalStateException("an element came when no entry was transformed");
      }
      if (element == source) {
        elementForm.writeStored(task.part(), live, output);
      } else {
        elementForm.write(element, output);
      }
      count++;
      if (count > 1 && output.position() - start > OUTPUT_BYTES_PER_ENTRY_MAX) {
        throw new IllegalArgumentException(
            "the stages of a stream make more than "
                + OUTPUT_BYTES_PER_ENTRY_MAX
                + " bytes of the one entry with key "
                + decoded.key(live)
                + "; the limit is fixed, let flatMap return less");
      }
    }
  }
}
