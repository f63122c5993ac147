package io.cantle.core.stream;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * One stage of a recorded pipeline, as an owner runs it.
 *
 * <p><b>Threading:</b> immutable; the functions are those of the user and run where they are
 * called.
 */
sealed interface Stage {

  /** How a stage is named on the wire; the code is the place in this list. */
  enum Kind {
    FILTER,
    MAP,
    FLAT_MAP
  }

  /** {@link Stream#filter}. */
  record Filter(Predicate<Object> predicate) implements Stage {}

  /** {@link Stream#map}. */
  record Mapped(Function<Object, Object> mapper) implements Stage {}

  /** {@link Stream#flatMap}. */
  record FlatMapped(Function<Object, Stream<Object>> mapper) implements Stage {}

  /** Makes a stage of a function that came off the wire as its kind wants it. */
  @SuppressWarnings("unchecked")
  static Stage of(Kind kind, Object function) {
    return switch (kind) {
      case FILTER -> new Filter((Predicate<Object>) function);
      case MAP -> new Mapped((Function<Object, Object>) function);
      case FLAT_MAP -> new FlatMapped((Function<Object, Stream<Object>>) function);
    };
  }

  /** Appends the stages to a stream. */
  static Stream<Object> replay(List<Stage> stages, Stream<Object> source) {
    Stream<Object> stream = source;
    for (Stage stage : stages) {
      stream =
          switch (stage) {
            case Filter filter -> stream.filter(filter.predicate());
            case Mapped mapped -> stream.map(mapped.mapper());
            case FlatMapped flatMapped -> stream.flatMap(flatMapped.mapper());
          };
    }
    return stream;
  }

  /**
   * Puts the stages in front of a consumer. For outputs that must be told apart entry by entry this
   * replaces a stream for each entry, which would cost more than most stages do.
   */
  static Consumer<Object> chain(List<Stage> stages, Consumer<Object> last) {
    Consumer<Object> chain = last;
    for (Stage stage : stages.reversed()) {
      Consumer<Object> next = chain;
      chain =
          switch (stage) {
            case Filter filter -> {
              Predicate<Object> predicate = filter.predicate();
              yield element -> {
                if (predicate.test(element)) {
                  next.accept(element);
                }
              };
            }
            case Mapped mapped -> {
              Function<Object, Object> mapper = mapped.mapper();
              yield element -> next.accept(mapper.apply(element));
            }
            case FlatMapped flatMapped -> {
              Function<Object, Stream<Object>> mapper = flatMapped.mapper();
              yield element -> {
                try (Stream<Object> inner = mapper.apply(element)) {
                  // The JDK takes null for an empty stream here.
                  if (inner != null) {
                    inner.sequential().forEach(next);
                  }
                }
              };
            }
          };
    }
    return chain;
  }
}
