package io.cantle.core.stream;

import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.Tasks;
import io.cantle.core.stream.Elements.Weighed;
import io.cantle.core.stream.Sorting.First;
import io.cantle.core.stream.Task.Terminal;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The owners' half of streams: replays recorded pipelines over live entries.
 *
 * <p><b>Threading:</b> any thread; what is returned belongs to the thread that asked.
 */
public final class Pipelines implements Tasks {
  /** Stands for no element yet, since null may be one. */
  private static final Object NONE = new Object();

  private final Codec codec;
  private final Decoded decoded;
  private final ElementForm elementForm;
  private final Function<String, ?> caches;

  /**
   * Decodes functions with the codec, and entries with what keeps them decoded.
   *
   * @param caches opens the cache of a name on this node
   */
  public Pipelines(Codec codec, Decoded decoded, Function<String, ?> caches) {
    this.codec = codec;
    this.decoded = decoded;
    this.elementForm = new ElementForm(codec);
    this.caches = caches;
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
    return new Reduction() {
      @Override
      public void reduce(Entries entries, Output partial) {
        Pipelines.this.reduce(task, entries, partial);
      }

      @Override
      public boolean waits() {
        return task.terminal() instanceof Terminal.ForEachIn;
      }
    };
  }

  /**
   * Reads a pipeline that ends in elements.
   *
   * @throws io.cantle.core.base.MalformedException when it is none, or a function is not allowed
   *     here
   */
  @Override
  public Transformation transformation(byte[] bytes) {
    Task task = Task.read(bytes, codec);
    if (!(task.terminal() instanceof Terminal.Elements(boolean distinct))) {
      throw new IllegalArgumentException("a task with an end makes no elements");
    }
    return (out, scan) ->
        new Elements.Pushed(task, distinct, decoded, elementForm, out).write(scan);
  }

  private void reduce(Task task, Entries entries, Output partial) {
    // Entries that only pass have been counted as what they are.
    Weighed weighed =
        task.terminal().keepsElements() && task.makesElements()
            ? new Weighed(entries, decoded, elementForm)
            : null;
    Iterator<Entry> wanted = weighed == null ? entries : weighed;
    try (Stream<Object> source = Elements.pulled(task.part(), wanted, decoded);
        BaseStream<?, ?> elements = Stage.replay(task.stages(), source)) {
      switch (task.terminal()) {
        case Terminal.Count ignored -> partial.writeVarint(task.shape().count(elements));
        case Terminal.Summary ignored -> task.shape().summarize(elements, partial);
        default -> {
          Stream<Object> boxed = task.shape().boxed(elements);
          reduce(task, weighed == null ? boxed : boxed.peek(weighed::made), partial);
        }
      }
    }
  }

  private void reduce(Task task, Stream<Object> elements, Output partial) {
    switch (task.terminal()) {
      case Terminal.Elements ignored ->
          throw new IllegalArgumentException("a task without an end has no single result");
      case Terminal.Count ignored -> throw new IllegalStateException("counted before");
      case Terminal.Summary ignored -> throw new IllegalStateException("summed up before");
      case Terminal.Collect collect ->
          new Gathering(collect.collector().get(), codec).accumulate(elements, partial);
      case Terminal.CollectInto into -> {
        Object container = into.supplier().get();
        BiConsumer<Object, Object> accumulator = into.accumulator();
        elements.forEach(element -> accumulator.accept(container, element));
        new ContainerForm(codec).write(container, false, partial);
      }
      case Terminal.Reduce reduce -> optional(elements, reduce.accumulator(), partial);
      case Terminal.Min min -> optional(elements, BinaryOperator.minBy(min.comparator()), partial);
      case Terminal.Max max -> optional(elements, BinaryOperator.maxBy(max.comparator()), partial);
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
      case Terminal.ForEachIn forEach -> {
        Object cache = caches.apply(forEach.cache());
        BiConsumer<Object, Object> action = forEach.action();
        elements.forEach(element -> action.accept(cache, element));
      }
      case Terminal.First first -> {
        First kept = new First(first.count(), first.order());
        elements.forEach(element -> kept.add(element, 0));
        elementForm.writeAll(kept.inOrder(), partial);
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
}
