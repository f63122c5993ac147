package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the container of a collector. What the codec can carry is encoded as one value. The JDK's
 * own boxes, maps that contain them, and sorted containers whose comparator cannot travel are
 * decomposed here.
 *
 * <p>Some of those lose their behaviour on the way: the functions of a box, the comparator, or the
 * class of an unknown map. They can serve only as the right operand of a combiner whose left
 * operand was made by the real collector. At the top this is always so. Below a map it is so only
 * if the receiver was sent a sample element for each of them ({@link DistributedCollector}); the
 * {@code sampled} argument says whether it was.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CollectorStateCodec {
  private static final int ELEMENT = 0;
  private static final int PARTITION = 1;
  private static final int PAIR = 2;
  private static final int OPTION = 3;
  private static final int MAP = 4;
  private static final int SORTED_SET = 5;
  private static final int PRIORITY_QUEUE = 6;

  private static final int HASH_MAP = 0;
  private static final int CONCURRENT_MAP = 1;
  private static final int SORTED_MAP = 2;

  /** Index 0 stands for a comparator that cannot travel. */
  private static final List<@Nullable Comparator<?>> KNOWN_COMPARATORS =
      Arrays.asList(
          new ArrivalOrder(),
          null,
          Comparator.naturalOrder(),
          Comparator.reverseOrder(),
          String.CASE_INSENSITIVE_ORDER);

  private static final Set<Class<?>> KNOWN_MAPS =
      Set.of(HashMap.class, LinkedHashMap.class, TreeMap.class, ConcurrentHashMap.class);

  private static final int MAX_DEPTH = 64;

  private final ElementCodec elementCodec;

  CollectorStateCodec(Codec codec) {
    this.elementCodec = new ElementCodec(codec);
  }

  /** Whether a decoded container could not replace the one that was encoded. */
  static boolean losesBehaviour(@Nullable Object container) {
    return CollectorBoxes.isPair(container)
        || CollectorBoxes.isOption(container)
        || hasCustomOrder(container)
        || (container instanceof Map<?, ?> map
            && !CollectorBoxes.isPartition(map)
            && !KNOWN_MAPS.contains(map.getClass())
            && containsDecomposed(map));
  }

  /**
   * Writes a container.
   *
   * @param sampled whether the receiver can make every box below a map by itself
   * @throws IllegalArgumentException if something in it cannot be sent
   */
  void write(@Nullable Object container, boolean sampled, Output out) {
    try {
      write(container, true, sampled, out);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a stream collects into a %s that cannot be sent to another node: %s"
              .formatted(container == null ? null : container.getClass().getName(), e.getMessage()),
          e);
    }
  }

  private void write(@Nullable Object container, boolean rightOnly, boolean sampled, Output out) {
    if (!rightOnly && losesBehaviour(container)) {
      throw new IllegalArgumentException(
          "the values of a map are of different kinds, one of them being " + container);
    }
    switch (container) {
      case Object partition when CollectorBoxes.isPartition(partition) -> {
        out.writeByte(PARTITION);
        write(CollectorBoxes.partitionSide(partition, true), rightOnly, sampled, out);
        write(CollectorBoxes.partitionSide(partition, false), rightOnly, sampled, out);
      }
      case Object pair when CollectorBoxes.isPair(pair) -> {
        CollectorBoxes.TeeingState teeing = CollectorBoxes.pairSides(pair);
        out.writeByte(PAIR);
        write(teeing.left(), rightOnly, sampled, out);
        write(teeing.right(), rightOnly, sampled, out);
      }
      case Object option when CollectorBoxes.isOption(option) -> {
        out.writeByte(OPTION);
        elementCodec.writeResults(CollectorBoxes.optionContent(option), out);
      }
      case Map<?, ?> map when isDecomposed(map) -> {
        out.writeByte(MAP);
        writeKind(map, out);
        out.writeVarint(map.size());
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          elementCodec.writeResult(entry.getKey(), out);
          write(entry.getValue(), sampled, sampled, out);
        }
      }
      case Collection<?> sorted when hasCustomOrder(sorted) -> {
        out.writeByte(sorted instanceof PriorityQueue<?> ? PRIORITY_QUEUE : SORTED_SET);
        elementCodec.writeResults(sorted, out);
      }
      case null, default -> {
        out.writeByte(ELEMENT);
        elementCodec.writeResult(container, out);
      }
    }
  }

  /** Reads a container. */
  @Nullable Object read(Input in) {
    return read(in, 0);
  }

  private @Nullable Object read(Input in, int depth) {
    if (depth > MAX_DEPTH) {
      throw new MalformedException("containers are nested deeper than " + MAX_DEPTH + " levels");
    }
    int form = in.readByte();
    return switch (form) {
      case ELEMENT -> elementCodec.read(in);
      case PARTITION -> CollectorBoxes.newPartition(read(in, depth + 1), read(in, depth + 1));
      case PAIR -> CollectorBoxes.newPair(read(in, depth + 1), read(in, depth + 1));
      case OPTION -> CollectorBoxes.newOption(elementCodec.readAll(in, 1, new ArrayList<>(1)));
      case MAP -> {
        Map<@Nullable Object, @Nullable Object> map = readKind(in);
        int count = in.readCount(in.remaining());
        for (int i = 0; i < count; i++) {
          Object key = elementCodec.read(in);
          map.put(key, read(in, depth + 1));
        }
        yield map;
      }
      case SORTED_SET ->
          elementCodec.readAll(in, in.remaining(), new TreeSet<>(new ArrivalOrder()));
      case PRIORITY_QUEUE ->
          elementCodec.readAll(in, in.remaining(), new PriorityQueue<>(new ArrivalOrder()));
      default -> throw new MalformedException("unknown form of a container: " + form);
    };
  }

  private static void writeKind(Map<?, ?> map, Output out) {
    switch (map) {
      case SortedMap<?, ?> sorted -> {
        out.writeByte(SORTED_MAP);
        out.writeByte(Math.max(0, KNOWN_COMPARATORS.indexOf(sorted.comparator())));
      }
      case ConcurrentMap<?, ?> concurrent -> out.writeByte(CONCURRENT_MAP);
      default -> out.writeByte(HASH_MAP);
    }
  }

  @SuppressWarnings("unchecked")
  private static Map<@Nullable Object, @Nullable Object> readKind(Input in) {
    int kind = in.readByte();
    return switch (kind) {
      case HASH_MAP -> new LinkedHashMap<>();
      case CONCURRENT_MAP -> new ConcurrentHashMap<>();
      case SORTED_MAP -> {
        int order = in.readCount(KNOWN_COMPARATORS.size() - 1);
        Comparator<?> comparator = order == 0 ? new ArrivalOrder() : KNOWN_COMPARATORS.get(order);
        yield new TreeMap<>((Comparator<Object>) comparator);
      }
      default -> throw new MalformedException("unknown kind of map: " + kind);
    };
  }

  private static boolean isDecomposed(@Nullable Object container) {
    return CollectorBoxes.isPartition(container)
        || CollectorBoxes.isPair(container)
        || CollectorBoxes.isOption(container)
        || hasCustomOrder(container)
        || (container instanceof Map<?, ?> map && containsDecomposed(map));
  }

  private static boolean containsDecomposed(Map<?, ?> map) {
    return map.values().stream().anyMatch(CollectorStateCodec::isDecomposed);
  }

  private static boolean hasCustomOrder(@Nullable Object container) {
    return switch (container) {
      case SortedMap<?, ?> map -> !KNOWN_COMPARATORS.contains(map.comparator());
      case SortedSet<?> set -> !KNOWN_COMPARATORS.contains(set.comparator());
      case PriorityQueue<?> queue -> !KNOWN_COMPARATORS.contains(queue.comparator());
      case null, default -> false;
    };
  }

  /**
   * Orders objects by when they were first compared. A sorted container whose comparator cannot
   * travel is decoded with this one, which keeps its content in the order it was sent in.
   *
   * <p><b>Threading:</b> one thread at a time, like the container it orders.
   */
  static final class ArrivalOrder implements Comparator<Object> {
    private final IdentityHashMap<Object, Integer> positions = new IdentityHashMap<>();

    @Override
    public int compare(Object left, Object right) {
      // The right object is in the container already when the left one is added.
      int rightPlace = positionOf(right);
      return Integer.compare(positionOf(left), rightPlace);
    }

    private int positionOf(Object object) {
      return positions.computeIfAbsent(object, _ -> positions.size());
    }
  }

  /**
   * Decomposes and makes those containers of the JDK's collectors that are classes of their own:
   * the ones of {@code partitioningBy}, of {@code teeing}, and of the {@code reducing} that {@code
   * minBy} and {@code maxBy} use. These classes cannot be named, and their package is not open. But
   * a combiner receives their content, and a supplier fills them, so collectors written for that
   * purpose do both.
   *
   * <p>A box of teeing or reducing calls the functions of the collector that made it. A box made
   * here has no useful functions: it serves as the right operand of a combiner, never as the left.
   *
   * <p><b>Threading:</b> stateless.
   */
  static final class CollectorBoxes {
    private static final Object DUMMY = new Object();

    private static final Class<?> PARTITION = newPartition(DUMMY, DUMMY).getClass();
    private static final Class<?> PAIR = newPair(DUMMY, DUMMY).getClass();
    private static final Class<?> OPTION = newOption(List.of()).getClass();

    private CollectorBoxes() {}

    /** The two containers of teeing. */
    record TeeingState(@Nullable Object left, @Nullable Object right) {}

    static boolean isPartition(@Nullable Object container) {
      return container != null && container.getClass() == PARTITION;
    }

    static boolean isPair(@Nullable Object container) {
      return container != null && container.getClass() == PAIR;
    }

    static boolean isOption(@Nullable Object container) {
      return container != null && container.getClass() == OPTION;
    }

    /** The container of the matching elements, or of the others. */
    static @Nullable Object partitionSide(Object partition, boolean matching) {
      return ((Map<?, ?>) partition).get(matching);
    }

    static Object newPartition(@Nullable Object matching, @Nullable Object others) {
      // The supplier is called for the matching elements first; a test holds the JDK to that.
      return newContainer(Collectors.partitioningBy(element -> true, supplierOf(matching, others)));
    }

    static Object newPair(@Nullable Object left, @Nullable Object right) {
      return newContainer(Collectors.teeing(supplierOf(left), supplierOf(right), (a, b) -> DUMMY));
    }

    static TeeingState pairSides(Object pair) {
      List<@Nullable Object> left = new ArrayList<>(1);
      List<@Nullable Object> right = new ArrayList<>(1);
      combine(Collectors.teeing(recorderOf(left), recorderOf(right), (a, b) -> DUMMY), null, pair);
      return new TeeingState(left.getFirst(), right.getFirst());
    }

    /** Makes a reducing box that holds one object, which may be null, or none. */
    static Object newOption(List<? extends @Nullable Object> held) {
      Collector<Object, ?, ?> collector = Collectors.reducing((a, b) -> a);
      return held.isEmpty()
          ? newContainer(collector)
          : newContainerWith(collector, held.getFirst());
    }

    /** The object that a reducing box holds, or none. */
    static List<@Nullable Object> optionContent(Object option) {
      List<@Nullable Object> seen = new ArrayList<>(1);
      combine(
          Collectors.reducing(
              (Object mine, Object other) -> {
                seen.add(other);
                return mine;
              }),
          DUMMY,
          option);
      return seen;
    }

    /** A collector whose supplier returns these containers, one after the other. */
    private static Collector<Object, Object, Object> supplierOf(@Nullable Object... containers) {
      Iterator<@Nullable Object> rest = Arrays.asList(containers).iterator();
      return Collector.of(rest::next, (container, element) -> {}, (left, right) -> left);
    }

    /** A collector whose combiner records the right operand. */
    private static Collector<Object, Object, Object> recorderOf(List<@Nullable Object> seen) {
      return Collector.of(
          () -> DUMMY,
          (container, element) -> {},
          (left, right) -> {
            seen.add(right);
            return left;
          });
    }

    private static <A> A newContainer(Collector<Object, A, ?> collector) {
      return collector.supplier().get();
    }

    private static <A> A newContainerWith(
        Collector<Object, A, ?> collector, @Nullable Object element) {
      A container = newContainer(collector);
      // The JDK allows null elements, though its types as annotated here do not say so.
      @SuppressWarnings("NullAway")
      Object accepted = element;
      collector.accumulator().accept(container, accepted);
      return container;
    }

    @SuppressWarnings("unchecked")
    private static <A> void combine(
        Collector<Object, A, ?> collector, @Nullable Object first, Object right) {
      A left = first == null ? newContainer(collector) : newContainerWith(collector, first);
      A _ = collector.combiner().apply(left, (A) right);
    }
  }
}
