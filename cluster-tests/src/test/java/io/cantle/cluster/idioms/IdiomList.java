package io.cantle.cluster.idioms;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Idioms as they are listed, for maps of one type. */
public final class IdiomList<M> {
  private final List<Idiom<M>> idioms = new ArrayList<>();

  /**
   * Adds an idiom that does the same with a cache as with a map of the JDK. A list it returns has
   * no order.
   */
  void same(String name, Function<? super M, ? extends @Nullable Object> code) {
    idioms.add(new Idiom<>(name, false, List.of(), code));
  }

  /** Adds an idiom that does the same, and returns elements in order. */
  void inOrder(String name, Function<? super M, ? extends @Nullable Object> code) {
    idioms.add(new Idiom<>(name, true, List.of(), code));
  }

  /**
   * Adds an idiom that a cache refuses.
   *
   * @param first a text that the error contains
   * @param second another one, which says what to do
   */
  void refused(
      String name,
      String first,
      String second,
      Function<? super M, ? extends @Nullable Object> code) {
    idioms.add(new Idiom<>(name, false, List.of(first, second), code));
  }

  /** The idioms in the order they were added. */
  public List<Idiom<M>> all() {
    return List.copyOf(idioms);
  }
}
