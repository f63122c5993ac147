package io.cantle.core.stream;

import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.Scans.Part;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The part of a stream that owners run, as the bytes that will be sent; the format is that of
 * {@link Task}. Functions are encoded by the call that brings them, so that a refusal points at its
 * cause.
 *
 * <p><b>Threading:</b> immutable; the array is not to be changed.
 *
 * @param part what of an entry is the first element
 * @param stages how many stages there are
 * @param shape what an element is after them
 * @param elementsChanged whether they make other elements than there were
 * @param bytes the stages
 */
@SuppressWarnings("ArrayRecordComponent") // Recordings are not compared.
record Recording(Part part, int stages, Shape shape, boolean elementsChanged, byte[] bytes) {

  /** No stage yet. */
  static Recording of(Part part) {
    return new Recording(part, 0, Shape.OBJECT, false, new byte[0]);
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
   * With one more stage.
   *
   * @throws IllegalArgumentException when its function cannot be sent
   */
  Recording stage(Stage stage, String method, Codec codec) {
    if (stages == Task.STAGES_MAX) {
      throw new IllegalArgumentException(
          method + " would be stage " + (stages + 1) + ", and the limit is " + Task.STAGES_MAX);
    }
    Output out = new Output(bytes.length + 256);
    out.write(bytes);
    out.writeByte(Task.STAGES.indexOf(stage.kind()));
    Object function = stage.function();
    if (function != null) {
      function(method, function, codec, out);
    }
    return new Recording(
        part,
        stages + 1,
        stage.kind().to(),
        elementsChanged || !stage.kind().keepsElements(),
        out.toByteArray());
  }

  /** The whole, with an end that needs nothing. */
  byte[] end(Terminal.Kind kind) {
    return end(kind, "", out -> {});
  }

  /**
   * The whole, with its end.
   *
   * @param needs writes what the end needs
   */
  byte[] end(Terminal.Kind kind, String method, Consumer<Output> needs) {
    Output out = new Output(bytes.length + 256);
    out.writeByte(Task.VERSION);
    out.writeByte(Task.PARTS.indexOf(part));
    out.writeVarint(stages);
    out.write(bytes);
    out.writeByte(Task.TERMINALS.indexOf(kind));
    needs.accept(out);
    bounded(method, out);
    return out.toByteArray();
  }

  /**
   * Writes a function.
   *
   * @throws IllegalArgumentException when it cannot be sent
   */
  void function(String method, Object function, Codec codec, Output out) {
    try {
      codec.encodeFunction(function, out);
    } catch (IllegalArgumentException e) {
      throw refused(method, "the function given to it", e);
    }
    bounded(method, out);
  }

  /**
   * Writes a value.
   *
   * @throws IllegalArgumentException when it cannot be sent
   */
  void value(String method, @Nullable Object value, ElementForm form, Output out) {
    try {
      form.write(value, out);
    } catch (IllegalArgumentException e) {
      throw refused(method, "the identity given to it", e);
    }
  }

  private void bounded(String method, Output out) {
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
