package io.cantle.core.stream;

import io.cantle.core.base.CallSiteLog;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says, once for each line of code, that a stream brings every element to this node although owners
 * could do the work, and which form they would run. Nothing is said where no element travels anyway
 * because this node has a replica of everything, nor of a collector whose result has every element.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LocalRunAdvice {
  private static final CallSiteLog LOG =
      new CallSiteLog(System.getLogger(LocalRunAdvice.class.getName()));

  /** The accumulator of all collectors into maps that refuse equal keys. */
  private static final Class<?> UNIQUE_KEYS =
      Collectors.toMap(key -> key, value -> value).accumulator().getClass();

  private LocalRunAdvice() {}

  /** To be called before a collector of this node collects what owners could collect. */
  static void beforeCollect(Pipeline pipeline, Collector<?, ?, ?> collector) {
    LOG.advise(() -> collectAdvice(pipeline, collector));
  }

  /** To be called before elements are sorted here of which owners could select the first. */
  static void beforeSort(Pipeline pipeline) {
    LOG.advise(() -> sortAdvice(pipeline));
  }

  /** What to say about a plain collector; null if that is nothing. */
  static @Nullable String collectAdvice(Pipeline pipeline, Collector<?, ?, ?> collector) {
    String forms = ownsAll(pipeline) ? null : formsOnOwners(pipeline, collector);
    return forms == null
        ? null
        : ("collect(Collector) brings every element of cache \"%s\" to this node; %s collect on the"
                + " owners, and so does any collector that collect(() -> ...) gets from a supplier")
            .formatted(pipeline.origin().cache().name(), forms);
  }

  /** What to say about a plain comparator before a limit; null if that is nothing. */
  static @Nullable String sortAdvice(Pipeline pipeline) {
    return ownsAll(pipeline)
        ? null
        : ("sorted(Comparator) with a limit brings every element of cache \"%s\" to this node;"
                + " with a comparator of SerializableComparator.comparing, or a lambda in place,"
                + " owners send the first only")
            .formatted(pipeline.origin().cache().name());
  }

  private static boolean ownsAll(Pipeline pipeline) {
    return pipeline.origin().scanner().ownsAll();
  }

  /**
   * The collectors of Cantle that do the same and need fewer elements here; null if the result has
   * every element in it. Only the container tells the collectors of the JDK apart.
   */
  private static @Nullable String formsOnOwners(Pipeline pipeline, Collector<?, ?, ?> collector) {
    return switch (collector.supplier().get()) {
      case Set<?> _ ->
          pipeline.recordedStages().isDistinct()
              ? null
              : "CacheCollectors.toSet and CacheCollectors.toCollection";
      case Collection<?> _, StringBuilder _, StringJoiner _ -> null;
      case Map<?, ?> _ ->
          collector.accumulator().getClass() == UNIQUE_KEYS
              ? null
              : "CacheCollectors.groupingBy and its like, and CacheCollectors.toMap with a merge"
                  + " function,";
      case null, default -> "CacheCollectors.counting, CacheCollectors.reducing and their like";
    };
  }
}
