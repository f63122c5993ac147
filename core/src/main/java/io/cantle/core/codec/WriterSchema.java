package io.cantle.core.codec;

import io.cantle.core.base.MalformedException;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record class as the writer of some bytes defined it. The class on this node, if there is one,
 * is looked up only when a record is needed, so a skipped record needs no class.
 *
 * <p><b>Threading:</b> any thread.
 */
final class WriterSchema {
  /** The limit of the class file format. */
  static final int MAX_COMPONENTS = 255;

  private final String className;
  private final List<String> componentNames;
  private volatile @Nullable SchemaBinding binding;

  /** The class on this node, and for each written component its constructor position or -1. */
  record SchemaBinding(RecordSchema schema, int[] targetIndexes) {}

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
