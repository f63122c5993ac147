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
final class WriterSchema {
  /** The class file format allows no more. */
  static final int MAX_COMPONENTS = 255;

  private final String className;
  private final List<String> componentNames;
  private volatile @Nullable SchemaBinding binding;

  /** The class here, and for each written component its place in the constructor or -1. */
  static final class SchemaBinding {
    final RecordSchema schema;
    final int[] targetIndexes;

    SchemaBinding(RecordSchema schema, int[] targetIndexes) {
      this.schema = schema;
      this.targetIndexes = targetIndexes;
    }
  }

  WriterSchema(String className, List<String> componentNames) {
    if (new HashSet<>(componentNames).size() != componentNames.size()) {
      throw new MalformedException("record " + className + " names a component twice");
    }
    this.className = className;
    this.componentNames = List.copyOf(componentNames);
  }

  int componentCount() {
    return componentNames.size();
  }

  SchemaBinding resolveBinding(ClassResolver classResolver) {
    SchemaBinding cached = binding;
    if (cached == null) {
      RecordSchema schema = classResolver.recordSchema(className);
      cached = new SchemaBinding(schema, schema.targetIndexes(componentNames));
      binding = cached;
    }
    return cached;
  }
}
