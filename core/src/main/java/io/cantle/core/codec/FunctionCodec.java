package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.lang.invoke.SerializedLambda;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes functions for the network. A lambda is sent as names and captured values, never as code.
 * The names are checked against the allow-list before any of them is looked up. Then the capturing
 * class itself decides whether it has such a lambda. A registered function is sent as its name.
 *
 * <p>Lambdas that capture nothing are cached, by their bytes and by their class, because a stream
 * sends the same ones repeatedly.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FunctionCodec {
  private static final int VERSION = 1;

  /** The kinds of encoded functions: a value, the parts of a lambda, a registered name. */
  private static final int OBJECT = 0;

  static final int LAMBDA = 1;
  static final int NAMED = 2;

  private static final int CAPTURED_NULL = 0;
  private static final int CAPTURED_VALUE = 1;
  private static final int CAPTURED_FUNCTION = 2;
  private static final int CAPTURED_CLASS = 3;
  private static final int CAPTURED_NAME = 4;

  static final int MAX_CAPTURED = 255;
  private static final int MAX_DEPTH = 32;
  private static final int MAX_BYTES = 16 << 20;

  private final ClassResolver classResolver;
  private final Codec codec;
  private final NamedFunctionRegistry namedFunctions;
  private final InternTable<Object> decodedLambdas = new InternTable<>();

  /** Cached by class through a ClassValue, so that an unloaded class is not retained here. */
  private final ClassValue<EncodedLambda> encodedLambdas =
      new ClassValue<>() {
        @Override
        protected EncodedLambda computeValue(Class<?> type) {
          return new EncodedLambda();
        }
      };

  /** The bytes of a lambda, if it was encoded before and captures nothing. */
  private static final class EncodedLambda {
    private volatile byte @Nullable [] bytes;
  }

  FunctionCodec(ClassResolver classResolver, Codec codec, NamedFunctionRegistry namedFunctions) {
    this.classResolver = classResolver;
    this.codec = codec;
    this.namedFunctions = namedFunctions;
  }

  void encode(Object function, Output out) {
    Output body = new Output(256);
    body.writeByte(VERSION);
    if (!namedFunctions.writeIfNamed(function, NAMED, body)) {
      byte[] cached = encodedLambdas.get(function.getClass()).bytes;
      if (cached != null) {
        out.writeBlob(cached);
        return;
      }
      encodeParts(function, body);
    }
    out.writeBlob(body.array(), 0, body.position());
  }

  private void encodeParts(Object function, Output body) {
    SerializedLambda lambda = LambdaReflection.disassemble(function);
    if (lambda == null) {
      body.writeByte(OBJECT);
      codec.encodeValue(function, body);
      checkSize(body);
      return;
    }
    body.writeByte(LAMBDA);
    encodeLambda(function, lambda, body, 0);
    if (lambda.getCapturedArgCount() == 0) {
      encodedLambdas.get(function.getClass()).bytes = body.toByteArray();
    }
  }

  Object decode(Input in, CaptureSnapshot captures) {
    int length = in.readBlobLength();
    if (length > MAX_BYTES) {
      throw new MalformedException("a function of " + length + " bytes, beyond " + MAX_BYTES);
    }
    Object cached = decodedLambdas.find(in.array(), in.position(), length);
    if (cached != null) {
      in.skip(length);
      return cached;
    }
    Input body = in.slice(length);
    int start = body.position();
    int version = body.readByte();
    if (version != VERSION) {
      throw new MalformedException("a function must have format " + VERSION + ", not " + version);
    }
    int kind = body.readByte();
    if (kind == OBJECT) {
      Object function = decodeValue(body, captures);
      captures.add(function, classResolver, namedFunctions);
      return function;
    }
    if (kind == NAMED) {
      Object function = namedFunctions.read(body);
      body.requireEndOf("a function");
      return function;
    }
    if (kind != LAMBDA) {
      throw new MalformedException("unknown kind " + kind + " of function");
    }
    LambdaDescriptor descriptor = LambdaDescriptor.read(body);
    @Nullable Object[] captured = decodeCaptured(descriptor, body, captures, 0);
    body.requireEndOf("a function");
    Object function = descriptor.instantiate(classResolver, captured);
    if (captured.length > 0) {
      captures.add(function, classResolver, namedFunctions);
    } else {
      decodedLambdas.add(Arrays.copyOfRange(body.array(), start, start + length), function);
    }
    return function;
  }

  private static void checkSize(Output body) {
    if (body.position() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the function with what it captures has more than %s bytes: put that into a cache"
              .formatted(MAX_BYTES));
    }
  }

  private void encodeLambda(Object function, SerializedLambda lambda, Output out, int depth) {
    LambdaDescriptor descriptor = LambdaDescriptor.of(lambda);
    String refusal = descriptor.refusalReason(classResolver.allowList());
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
    if (depth >= MAX_DEPTH) {
      throw new IllegalArgumentException(
          "functions capture functions deeper than " + MAX_DEPTH + " at " + descriptor);
    }
    descriptor.write(out);
    out.writeVarint(lambda.getCapturedArgCount());
    for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
      try {
        CaptureCheck.check(lambda, i);
        encodeCaptured(lambda.getCapturedArg(i), out, depth);
      } catch (CaptureException e) {
        // A lambda of Cantle only passes the user's function on, which the message is about.
        throw descriptor.isOfPlatform()
            ? e
            : new CaptureException(
                new CapturedVariable(function.getClass(), lambda, i, classResolver), e);
      } catch (IllegalArgumentException e) {
        throw new CaptureException(
            new CapturedVariable(function.getClass(), lambda, i, classResolver), e);
      }
      checkSize(out);
    }
  }

  private void encodeCaptured(@Nullable Object captured, Output out, int depth) {
    switch (captured) {
      case null -> out.writeByte(CAPTURED_NULL);
      case Class<?> type -> {
        if (!classResolver.allowList().allows(type)) {
          throw new IllegalArgumentException(
              classResolver.refusalMessage("captured", type.getName()));
        }
        out.writeByte(CAPTURED_CLASS);
        out.writeString(type.getName());
      }
      default -> encodeObject(captured, out, depth);
    }
  }

  private void encodeObject(Object captured, Output out, int depth) {
    if (namedFunctions.writeIfNamed(captured, CAPTURED_NAME, out)) {
      return;
    }
    SerializedLambda lambda = LambdaReflection.disassemble(captured);
    if (lambda != null) {
      out.writeByte(CAPTURED_FUNCTION);
      encodeLambda(captured, lambda, out, depth + 1);
      return;
    }
    if (ClassRefusal.isOfTheGrid(captured.getClass())) {
      throw new IllegalArgumentException(ClassRefusal.ofTheGrid(captured.getClass()));
    }
    out.writeByte(CAPTURED_VALUE);
    Output value = new Output(64);
    codec.encodeValue(captured, value);
    out.writeBlob(value.array(), 0, value.position());
  }

  private @Nullable Object[] decodeCaptured(
      LambdaDescriptor descriptor, Input in, CaptureSnapshot captures, int depth) {
    descriptor.requireAllowed(classResolver.allowList());
    if (depth >= MAX_DEPTH) {
      throw new MalformedException("functions capture functions deeper than " + MAX_DEPTH);
    }
    @Nullable Object[] captured = new Object[in.readCount(MAX_CAPTURED)];
    for (int i = 0; i < captured.length; i++) {
      captured[i] = decodeCaptured(in, captures, depth);
    }
    return captured;
  }

  private @Nullable Object decodeCaptured(Input in, CaptureSnapshot captures, int depth) {
    int kind = in.readByte();
    return switch (kind) {
      case CAPTURED_NULL -> null;
      case CAPTURED_CLASS -> {
        String name = in.readString();
        Class<?> primitive = Class.forPrimitiveName(name);
        yield primitive != null ? primitive : classResolver.loadAllowed("captured", name);
      }
      case CAPTURED_NAME -> namedFunctions.read(in);
      case CAPTURED_FUNCTION -> {
        LambdaDescriptor descriptor = LambdaDescriptor.read(in);
        yield descriptor.instantiate(
            classResolver, decodeCaptured(descriptor, in, captures, depth + 1));
      }
      case CAPTURED_VALUE -> decodeValue(in.slice(in.readBlobLength()), captures);
      default -> throw new MalformedException("unknown kind of captured value: " + kind);
    };
  }

  /** Decodes what belongs to a function, which may call the lambdas in it. */
  private Object decodeValue(Input in, CaptureSnapshot captures) {
    if (!Codec.isObjectGraph(in)) {
      return codec.decodeValue(in);
    }
    List<Object> lambdas = new ArrayList<>(0);
    Object value = LambdaSerializer.collect(lambdas, () -> codec.decodeValue(in));
    lambdas.forEach(lambda -> captures.add(lambda, classResolver, namedFunctions));
    return value;
  }
}
