package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.stream.CollectorStateCodec.CollectorBoxes;
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
 * Collects on several nodes with a {@link Collector} of which each node has its own copy: {@link
 * #accumulate} runs on the owners, {@link #merge} and {@link #finish} on the calling node.
 *
 * <p>Owners send containers, not results, so that any collector can merge them with its own
 * combiner. A few containers of the JDK call functions of the collector that made them, and those
 * functions do not travel: the boxes of {@code maxBy} or {@code teeing}, for instance. A combiner
 * calls its left operand, and at the top that is the container made by the merging node's own
 * collector. But a map such as that of {@code groupingBy(.., maxBy(..))} adopts the box of the
 * right operand where it has none itself. Therefore an owner that finds such boxes below a map
 * keeps back, for each of them, the first element that led to it. It sends these samples unchanged.
 * The receiver accumulates them before it combines the containers, and thereby makes the real
 * boxes.
 *
 * <p>To find such boxes, an owner collects the first elements one by one until one of them shows
 * what lies in the maps. For nearly every collector the first element does.
 *
 * <p><b>Threading:</b> one thread.
 */
final class DistributedCollector {
  private final Collector<Object, Object, Object> collector;
  private final BiConsumer<Object, Object> accumulator;
  private final CollectorStateCodec stateCodec;
  private final ElementCodec elementCodec;
  private Object container;

  private NestingLevel nesting = NestingLevel.UNKNOWN;
  private boolean empty = true;
  private final List<@Nullable Object> samples = new ArrayList<>();
  private final Set<ContainerPath> sampledPaths = new HashSet<>();

  /** Whether a container that loses its behaviour when it is sent lies below a map. */
  private enum NestingLevel {
    PLAIN,
    UNKNOWN,
    BOXED;

    /** The nesting of a container with two parts: a box in one of them decides, then a doubt. */
    NestingLevel with(NestingLevel other) {
      return compareTo(other) < 0 ? other : this;
    }
  }

  private enum PairSide {
    LEFT,
    RIGHT
  }

  /** A position in a container: keys of maps and sides of pairs, the last step first. */
  private record ContainerPath(@Nullable ContainerPath parent, @Nullable Object step) {}

  DistributedCollector(Collector<Object, Object, Object> collector, Codec codec) {
    this.collector = collector;
    this.accumulator = collector.accumulator();
    this.stateCodec = new CollectorStateCodec(codec);
    this.elementCodec = new ElementCodec(codec);
    this.container = collector.supplier().get();
  }

  /** The owner side: collects the elements and writes the samples and the container. */
  void accumulate(Stream<Object> elements, Output partial) {
    elements.forEach(this::accept);
    partial.writeBoolean(!empty);
    if (empty) {
      return;
    }
    elementCodec.writeResults(samples, partial);
    stateCodec.write(container, nesting == NestingLevel.BOXED, partial);
  }

  /** The calling side: merges what an owner wrote. */
  // Elements and containers may be null if the user's functions make them so.
  @SuppressWarnings("NullAway")
  void merge(Input partial) {
    if (!partial.readBoolean()) {
      return;
    }
    int count = partial.readCount(partial.remaining());
    for (int i = 0; i < count; i++) {
      accumulator.accept(container, elementCodec.read(partial));
    }
    container = collector.combiner().apply(container, stateCodec.read(partial));
  }

  /** The result of everything that was merged. */
  Object finish() {
    return collector.characteristics().contains(Collector.Characteristics.IDENTITY_FINISH)
        ? container
        : collector.finisher().apply(container);
  }

  private void accept(Object element) {
    empty = false;
    if (nesting == NestingLevel.PLAIN) {
      accumulator.accept(container, element);
    } else {
      acceptSampling(element);
    }
  }

  private void acceptSampling(Object element) {
    Object single = collector.supplier().get();
    accumulator.accept(single, element);
    if (nesting == NestingLevel.UNKNOWN) {
      nesting = nestingOf(single, false);
    }
    if (nesting == NestingLevel.BOXED && findNewBoxes(single, null, false)) {
      samples.add(element);
    } else {
      container = collector.combiner().apply(container, single);
    }
  }

  private static NestingLevel nestingOf(@Nullable Object container, boolean belowMap) {
    if (container == null) {
      return NestingLevel.PLAIN;
    }
    if (belowMap && CollectorStateCodec.losesBehaviour(container)) {
      return NestingLevel.BOXED;
    }
    if (CollectorBoxes.isPair(container)) {
      CollectorBoxes.TeeingState teeing = CollectorBoxes.pairSides(container);
      return nestingOf(teeing.left(), false).with(nestingOf(teeing.right(), false));
    }
    if (CollectorBoxes.isPartition(container)) {
      // Both sides are of the same kind, and one element fills only one of them.
      NestingLevel matching = nestingOf(CollectorBoxes.partitionSide(container, true), belowMap);
      return matching == NestingLevel.UNKNOWN
          ? nestingOf(CollectorBoxes.partitionSide(container, false), belowMap)
          : matching;
    }
    if (!(container instanceof Map<?, ?> map)) {
      return NestingLevel.PLAIN;
    }
    NestingLevel found = map.isEmpty() ? NestingLevel.UNKNOWN : NestingLevel.PLAIN;
    for (Object value : map.values()) {
      found = found.with(nestingOf(value, true));
    }
    return found;
  }

  /** Whether the container has boxes to which no sample leads yet; records their positions. */
  private boolean findNewBoxes(
      @Nullable Object inside, @Nullable ContainerPath path, boolean belowMap) {
    if (inside == null) {
      return false;
    }
    boolean found =
        belowMap
            && path != null
            && CollectorStateCodec.losesBehaviour(inside)
            && sampledPaths.add(path);
    if (CollectorBoxes.isPair(inside)) {
      CollectorBoxes.TeeingState teeing = CollectorBoxes.pairSides(inside);
      found |= findNewBoxes(teeing.left(), new ContainerPath(path, PairSide.LEFT), belowMap);
      found |= findNewBoxes(teeing.right(), new ContainerPath(path, PairSide.RIGHT), belowMap);
    } else if (inside instanceof Map<?, ?> map) {
      boolean below = belowMap || !CollectorBoxes.isPartition(inside);
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        found |= findNewBoxes(entry.getValue(), new ContainerPath(path, entry.getKey()), below);
      }
    }
    return found;
  }
}
