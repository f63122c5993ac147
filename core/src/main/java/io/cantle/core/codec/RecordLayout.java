package io.cantle.core.codec;

import io.cantle.core.base.MalformedException;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record class as the writer of some bytes had it. Which components the class has here, if there
 * is such a class, shows only when a record is wanted: what is skipped needs no class.
 *
 * <p><b>Threading:</b> any thread.
 */
final class RecordLayout {
  /** The class file format allows no more. */
  static final int MAX_COMPONENTS = 255;

  private final String className;
  private final List<String> names;
  private volatile @Nullable Binding binding;

  /** The class here, and for each written component its place in the constructor or -1. */
  static final class Binding {
    final RecordShape shape;
    final int[] targets;

    Binding(RecordShape shape, int[] targets) {
      this.shape = shape;
      this.targets = targets;
    }
  }

  RecordLayout(String className, List<String> names) {
    if (new HashSet<>(names).size() != names.size()) {
      throw new MalformedException("record " + className + " names a component twice");
    }
    this.className = className;
    this.names = List.copyOf(names);
  }

  int componentCount() {
    return names.size();
  }

  Binding binding(Classes classes) {
    Binding known = binding;
    if (known == null) {
      RecordShape shape = classes.shape(className);
      known = new Binding(shape, shape.targets(names));
      binding = known;
    }
    return known;
  }
}
