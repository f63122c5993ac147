package io.cantle.core.stream;

import io.cantle.CloseableIterator;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.Scans.Part;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is common to all stages of one stream at the node that asks: the bytes of the pipeline so
 * far (the format is that of {@link Task}), the iterator it opened, and what is to be closed with
 * it. Functions are encoded by the call that brings them, so that a refusal points at its cause.
 *
 * <p><b>Threading:</b> one thread, that of the stream.
 */
final class Recording {
  private static final int STAGE_COUNT_POSITION = 2;

  private final Part part;
  private final Codec codec;
  private final Output out = new Output(512);
  private int stages;
  private boolean elementsChanged;

  /** Keeps and runs the close handlers by the rules of the JDK. */
  private final Stream<Object> handlers = Stream.empty();

  private @Nullable CloseableIterator<?> opened;

  Recording(Part part, Codec codec) {
    this.part = part;
    this.codec = codec;
    out.writeByte(Task.VERSION);
    out.writeByte(Task.PARTS.indexOf(part));
    out.writeInt(0);
  }

  Part part() {
    return part;
  }

  /** Whether there are stages, so that elements are more than what is stored. */
  boolean hasStages() {
    return stages > 0;
  }

  /** Whether no two elements are equal, as keys and entries are until they are mapped. */
  boolean distinct() {
    return part != Part.VALUE && !elementsChanged;
  }

  /**
   * Appends a stage.
   *
   * @throws IllegalArgumentException when the function cannot be sent
   */
  void stage(Stage.Kind kind, String method, Object function) {
    if (stages == Task.STAGES_MAX) {
      throw new IllegalArgumentException(
          method + " would be stage " + (stages + 1) + ", and the limit is " + Task.STAGES_MAX);
    }
    out.writeByte(Task.STAGES.indexOf(kind));
    function(method, function);
    stages++;
    elementsChanged |= kind != Stage.Kind.FILTER;
    out.patchInt(STAGE_COUNT_POSITION, stages);
  }

  /** Begins the end of the pipeline; what the operation needs is to follow. */
  Recording terminal(Terminal.Kind kind) {
    out.writeByte(Task.TERMINALS.indexOf(kind));
    return this;
  }

  /**
   * Appends a function of the operation that ends the stream.
   *
   * @throws IllegalArgumentException when the function cannot be sent
   */
  Recording function(String method, Object function) {
    try {
      codec.encodeFunction(function, out);
    } catch (IllegalArgumentException e) {
      throw refused(method, "the function given to it", e);
    }
    return bounded(method);
  }

  /**
   * Appends a value.
   *
   * @throws IllegalArgumentException when it cannot be sent
   */
  Recording identity(String method, @Nullable Object value) {
    try {
      new ElementForm(codec).write(value, out);
    } catch (IllegalArgumentException e) {
      throw refused(method, "the identity given to it", e);
    }
    return bounded(method);
  }

  /** The finished pipeline. */
  byte[] task() {
    return out.toByteArray();
  }

  /** Remembers what is to be closed with the stream, which has one at most. */
  <T> CloseableIterator<T> opened(CloseableIterator<T> iterator) {
    opened = iterator;
    return iterator;
  }

  /** Stops pulling, if anything was pulled. */
  void stopPulling() {
    if (opened != null) {
      opened.close();
    }
  }

  void onClose(Runnable handler) {
    Stream<Object> _ = handlers.onClose(handler);
  }

  /** Stops pulling and runs the close handlers, once. */
  void close() {
    try {
      stopPulling();
    } finally {
      handlers.close();
    }
  }

  private Recording bounded(String method) {
    if (out.position() > Task.BYTES_MAX) {
      throw new IllegalArgumentException(
          method
              + " after "
              + stages
              + " stages makes the stream's description "
              + out.position()
              + " bytes long, and the limit is "
              + Task.BYTES_MAX
              + ": put what its functions capture into a cache");
    }
    return this;
  }

  private IllegalArgumentException refused(
      String method, String what, IllegalArgumentException cause) {
    return new IllegalArgumentException(
        method
            + " after "
            + stages
            + " stages of a stream cannot be sent to the owners: "
            + what
            + " is refused: "
            + cause.getMessage()
            + ". To run it on this node, pass it as the java.util.function type",
        cause);
  }
}
