package io.cantle.core.stream;

import io.cantle.core.base.CallSiteLog;
import java.util.Collection;
import java.util.StringJoiner;
import java.util.stream.Collector;
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
    return ownsAll(pipeline) || keepsEveryElement(collector)
        ? null
        : ("collect(Collector) brings every element of cache \"%s\" to this node;"
                + " CacheCollectors.groupingBy and the others of CacheCollectors collect on the"
                + " owners")
            .formatted(pipeline.origin().cache().name());
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

  /** Whether it collects into a collection or a text, which has every element in it. */
  private static boolean keepsEveryElement(Collector<?, ?, ?> collector) {
    return switch (collector.supplier().get()) {
      case Collection<?> _, StringBuilder _, StringJoiner _ -> true;
      case null, default -> false;
    };
  }
}
