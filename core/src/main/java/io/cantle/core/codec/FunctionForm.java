package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.lang.invoke.SerializedLambda;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Functions on the wire. Of a lambda only names and captured values travel, never code; the names
 * are held against the allow-list before any of them is looked up, and then the capturing class
 * itself decides whether it has such a lambda. A function that is registered travels as its name.
 *
 * <p>Lambdas that capture nothing are kept, by their bytes and by their class: a stream sends the
 * same ones again and again.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FunctionForm {
  private static final int VERSION = 1;

  /** Of a function: a value, its parts, its name. */
  private static final int OBJECT = 0;

  static final int LAMBDA = 1;
  static final int NAMED = 2;

  private static final int NULL = 0;
  private static final int VALUE = 1;
  private static final int FUNCTION = 2;
  private static final int CLASS = 3;
  private static final int NAME = 4;

  static final int MAX_CAPTURED = 255;
  private static final int MAX_DEPTH = 32;
  private static final int MAX_BYTES = 16 << 20;

  private final Classes classes;
  private final Codec codec;
  private final KnownFunctions known;
  private final Blocks<Object> decoded = new Blocks<>();

  /** By class, and kept by it: who is gone is not held here. */
  private final ClassValue<Kept> encoded =
      new ClassValue<>() {
        @Override
        protected Kept computeValue(Class<?> type) {
          return new Kept();
        }
      };

  /** The bytes of a lambda, once it was encoded and if it captures nothing. */
  private static final class Kept {
    private volatile byte @Nullable [] bytes;
  }

  FunctionForm(Classes classes, Codec codec, KnownFunctions known) {
    this.classes = classes;
    this.codec = codec;
    this.known = known;
  }

  void encode(Object function, Output out) {
    Output body = new Output(256);
    body.writeByte(VERSION);
    String name = known.nameOf(function);
    if (name != null) {
      body.writeByte(NAMED);
      known.write(name, body);
    } else {
      byte[] kept = encoded.get(function.getClass()).bytes;
      if (kept != null) {
        out.writeBlob(kept);
        return;
      }
      encodeParts(function, body);
    }
    out.writeBlob(body.array(), 0, body.position());
  }

  private void encodeParts(Object function, Output body) {
    SerializedLambda lambda = Lambdas.takeApart(function);
    if (lambda == null) {
      body.writeByte(OBJECT);
      codec.encodeValue(function, body);
      checkSize(body);
      return;
    }
    body.writeByte(LAMBDA);
    encodeLambda(function, lambda, body, 0);
    if (lambda.getCapturedArgCount() == 0) {
      encoded.get(function.getClass()).bytes = body.toByteArray();
    }
  }

  Object decode(Input in) {
    int length = Text.readLength(in);
    if (length > MAX_BYTES) {
      throw new MalformedException("a function of " + length + " bytes, beyond " + MAX_BYTES);
    }
    Object kept = decoded.find(in.array(), in.position(), length);
    if (kept != null) {
      in.skip(length);
      return kept;
    }
    Input body = in.slice(length);
    int start = body.position();
    int version = body.readByte();
    if (version != VERSION) {
      throw new MalformedException("a function has the form " + VERSION + " and not " + version);
    }
    int kind = body.readByte();
    if (kind == OBJECT) {
      return codec.decodeValue(body.array(), body.position(), body.remaining());
    }
    if (kind == NAMED) {
      Object function = known.read(body);
      checkEnd(body);
      return function;
    }
    if (kind != LAMBDA) {
      throw new MalformedException("there is no kind " + kind + " of function");
    }
    LambdaNames names = LambdaNames.read(body);
    @Nullable Object[] captured = decodeCaptured(names, body, 0);
    checkEnd(body);
    Object function = names.putTogether(classes, captured);
    if (captured.length == 0) {
      decoded.add(Arrays.copyOfRange(body.array(), start, start + length), function);
    }
    return function;
  }

  private static void checkEnd(Input body) {
    if (body.remaining() != 0) {
      throw new MalformedException(body.remaining() + " bytes follow the end of a function");
    }
  }

  private static void checkSize(Output body) {
    if (body.position() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the function with what it captures has more than "
              + MAX_BYTES
              + " bytes: put that into a cache");
    }
  }

  private void encodeLambda(Object function, SerializedLambda lambda, Output out, int depth) {
    LambdaNames names = LambdaNames.of(lambda);
    String refusal = names.refusal(classes.allowed());
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
    if (depth >= MAX_DEPTH) {
      throw new IllegalArgumentException(
          "functions capture functions deeper than " + MAX_DEPTH + " at " + names);
    }
    names.write(out);
    out.writeVarint(lambda.getCapturedArgCount());
    for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
      try {
        encodeCaptured(lambda.getCapturedArg(i), out, depth);
      } catch (IllegalArgumentException e) {
        throw new CaptureException(new Capture(function.getClass(), lambda, i, classes), e);
      }
      checkSize(out);
    }
  }

  private void encodeCaptured(@Nullable Object captured, Output out, int depth) {
    switch (captured) {
      case null -> out.writeByte(NULL);
      case Class<?> type -> {
        if (!classes.allowed().allows(type)) {
          throw new IllegalArgumentException(Classes.refusal("captured", type.getName()));
        }
        out.writeByte(CLASS);
        out.writeString(type.getName());
      }
      default -> encodeObject(captured, out, depth);
    }
  }

  private void encodeObject(Object captured, Output out, int depth) {
    String name = known.nameOf(captured);
    if (name != null) {
      out.writeByte(NAME);
      known.write(name, out);
      return;
    }
    SerializedLambda lambda = Lambdas.takeApart(captured);
    if (lambda != null) {
      out.writeByte(FUNCTION);
      encodeLambda(captured, lambda, out, depth + 1);
      return;
    }
    out.writeByte(VALUE);
    Output value = new Output(64);
    codec.encodeValue(captured, value);
    out.writeBlob(value.array(), 0, value.position());
  }

  private @Nullable Object[] decodeCaptured(LambdaNames names, Input in, int depth) {
    String refusal = names.refusal(classes.allowed());
    if (refusal != null) {
      throw new MalformedException(refusal);
    }
    if (depth >= MAX_DEPTH) {
      throw new MalformedException("functions capture functions deeper than " + MAX_DEPTH);
    }
    @Nullable Object[] captured = new Object[in.readCount(MAX_CAPTURED)];
    for (int i = 0; i < captured.length; i++) {
      captured[i] = decodeCaptured(in, depth);
    }
    return captured;
  }

  private @Nullable Object decodeCaptured(Input in, int depth) {
    int kind = in.readByte();
    return switch (kind) {
      case NULL -> null;
      case CLASS -> {
        String name = Text.readString(in);
        Class<?> primitive = Class.forPrimitiveName(name);
        yield primitive != null ? primitive : classes.load("captured", name);
      }
      case NAME -> known.read(in);
      case FUNCTION -> {
        LambdaNames names = LambdaNames.read(in);
        yield names.putTogether(classes, decodeCaptured(names, in, depth + 1));
      }
      case VALUE -> {
        int length = Text.readLength(in);
        Object value = codec.decodeValue(in.array(), in.position(), length);
        in.skip(length);
        yield value;
      }
      default -> throw new MalformedException("nothing captured has the kind " + kind);
    };
  }
}
