package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.stream.ContainerForm.Boxes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collector;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Collects with a {@link Collector} of which every node has its own copy: {@link #accumulate} on
 * the owners, {@link #merge} and {@link #finish} at the node that asked.
 *
 * <p>Owners send containers, not results, so that any collector can be merged by its own combiner.
 * A few containers of the JDK call functions of the collector that made them, which do not travel:
 * the boxes of {@code maxBy} or {@code teeing}, for instance. A combiner calls the left operand,
 * and at the top that is the container made by the collector of the node that merges. But a map
 * such as that of {@code groupingBy(.., maxBy(..))} takes over the right operand's box where it has
 * none itself. Therefore an owner that finds such boxes below a map keeps back, for each of them,
 * the first element that led to it, and sends these samples as they are: accumulated at the
 * receiver, they make the real boxes, before the containers are combined.
 *
 * <p>To find out, the first elements are collected one by one until one of them shows what lies in
 * the maps; for nearly every collector that is the first.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Gathering {
  private final Collector<Object, Object, Object> collector;
  private final BiConsumer<Object, Object> accumulator;
  private final ContainerForm containerForm;
  private final ElementForm elementForm;
  private Object container;

  private Shape shape = Shape.UNKNOWN;
  private boolean empty = true;
  private final List<@Nullable Object> samples = new ArrayList<>();
  private final Set<Path> sampled = new HashSet<>();

  /** Whether containers that lose their behaviour when sent lie below a map. */
  private enum Shape {
    UNKNOWN,
    PLAIN,
    BOXED
  }

  private enum Side {
    LEFT,
    RIGHT
  }

  /** Where in a container something lies: keys of maps and sides of pairs, the last one first. */
  private record Path(@Nullable Path parent, @Nullable Object step) {}

  Gathering(Collector<Object, Object, Object> collector, Codec codec) {
    this.collector = collector;
    this.accumulator = collector.accumulator();
    this.containerForm = new ContainerForm(codec);
    this.elementForm = new ElementForm(codec);
    this.container = collector.supplier().get();
  }

  /** The owner's half: collects the elements and writes what came of them. */
  void accumulate(Stream<Object> elements, Output partial) {
    elements.forEach(this::accept);
    partial.writeBoolean(!empty);
    if (empty) {
      return;
    }
    partial.writeVarint(samples.size());
    for (Object sample : samples) {
      elementForm.write(sample, partial);
    }
    containerForm.write(container, shape == Shape.BOXED, partial);
  }

  /** The asker's half: takes in what an owner wrote. */
  // Elements and containers may be null where the user's functions make them so.
  @SuppressWarnings("NullAway")
  void merge(Input partial) {
    if (!partial.readBoolean()) {
      return;
    }
    int count = partial.readCount(partial.remaining());
    for (int i = 0; i < count; i++) {
      accumulator.accept(container, elementForm.read(partial));
    }
    container = collector.combiner().apply(container, containerForm.read(partial));
  }

  /** The result of all that was merged. */
  Object finish() {
    return collector.characteristics().contains(Collector.Characteristics.IDENTITY_FINISH)
        ? container
        : collector.finisher().apply(container);
  }

  private void accept(Object element) {
    empty = false;
    if (shape == Shape.PLAIN) {
      accumulator.accept(container, element);
    } else {
      acceptWatching(element);
    }
  }

  private void acceptWatching(Object element) {
    Object single = collector.supplier().get();
    accumulator.accept(single, element);
    if (shape == Shape.UNKNOWN) {
      shape = shape(single, false);
    }
    if (shape == Shape.BOXED && leadsToNew(single, null, false)) {
      samples.add(element);
    } else {
      container = collector.combiner().apply(container, single);
    }
  }

  private static Shape shape(@Nullable Object container, boolean belowMap) {
    if (container == null) {
      return Shape.PLAIN;
    }
    if (belowMap && ContainerForm.losesBehaviour(container)) {
      return Shape.BOXED;
    }
    if (Boxes.isPair(container)) {
      Boxes.Sides sides = Boxes.sides(container);
      Shape left = shape(sides.left(), false);
      Shape right = shape(sides.right(), false);
      if (left == Shape.BOXED || right == Shape.BOXED) {
        return Shape.BOXED;
      }
      return left == Shape.PLAIN ? right : left;
    }
    if (Boxes.isPartition(container)) {
      // Both sides are of the same kind, and one element shows only one of them.
      Shape matching = shape(Boxes.side(container, true), belowMap);
      return matching == Shape.UNKNOWN ? shape(Boxes.side(container, false), belowMap) : matching;
    }
    if (!(container instanceof Map<?, ?> map)) {
      return Shape.PLAIN;
    }
    Shape found = map.isEmpty() ? Shape.UNKNOWN : Shape.PLAIN;
    for (Object value : map.values()) {
      Shape inside = shape(value, true);
      if (inside == Shape.BOXED) {
        return Shape.BOXED;
      }
      if (inside == Shape.UNKNOWN) {
        found = Shape.UNKNOWN;
      }
    }
    return found;
  }

  /** Whether boxes lie in the container where none of the samples leads; notes where. */
  private boolean leadsToNew(@Nullable Object inside, @Nullable Path path, boolean belowMap) {
    if (inside == null) {
      return false;
    }
    boolean found =
        belowMap && path != null && ContainerForm.losesBehaviour(inside) && sampled.add(path);
    if (Boxes.isPair(inside)) {
      Boxes.Sides sides = Boxes.sides(inside);
      found |= leadsToNew(sides.left(), new Path(path, Side.LEFT), belowMap);
      found |= leadsToNew(sides.right(), new Path(path, Side.RIGHT), belowMap);
    } else if (inside instanceof Map<?, ?> map) {
      boolean below = belowMap || !Boxes.isPartition(inside);
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        found |= leadsToNew(entry.getValue(), new Path(path, entry.getKey()), below);
      }
    }
    return found;
  }
}
