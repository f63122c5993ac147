package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.lang.invoke.SerializedLambda;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.exception.InsecureException;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.SerializedLambdaSerializer;
import org.apache.fory.serializer.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Serializes lambdas within object graphs, under the rules of {@link FunctionCodec}. Fory's own
 * serializer creates the captured values first, loads the capturing class before it checks whether
 * it may, and never checks the method that is called.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LambdaSerializer extends Serializer<Object> {
  private static final ScopedValue<List<Object>> COLLECTED = ScopedValue.newInstance();

  private final ClassResolver classResolver;
  private final NamedFunctionRegistry namedFunctions;

  /** Reads an object graph and adds the lambdas in it to a list. */
  static Object collect(List<Object> lambdas, Supplier<Object> reading) {
    return ScopedValue.where(COLLECTED, lambdas).call(reading::get);
  }

  LambdaSerializer(
      TypeResolver resolver,
      Class<Object> type,
      ClassResolver classResolver,
      NamedFunctionRegistry namedFunctions) {
    super(resolver.getConfig(), type);
    this.classResolver = classResolver;
    this.namedFunctions = namedFunctions;
  }

  @Override
  public void write(WriteContext context, Object function) {
    Output head = new Output(256);
    if (namedFunctions.writeIfNamed(function, FunctionCodec.NAMED, head)) {
      writeBlock(context.getBuffer(), head);
      return;
    }
    SerializedLambda lambda = LambdaReflection.disassemble(function);
    if (lambda == null) {
      throw new InsecureException(
          "the hidden class " + function.getClass().getName() + " is not a lambda");
    }
    LambdaDescriptor descriptor = LambdaDescriptor.of(lambda);
    descriptor.requireAllowed(classResolver.allowList());
    head.writeByte(FunctionCodec.LAMBDA);
    descriptor.write(head);
    head.writeVarint(lambda.getCapturedArgCount());
    writeBlock(context.getBuffer(), head);
    for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
      context.writeRef(lambda.getCapturedArg(i));
    }
  }

  @Override
  public Object read(ReadContext context) {
    Input head = readBlock(context.getBuffer(), "a function");
    int kind = head.readByte();
    if (kind == FunctionCodec.NAMED) {
      Object function = namedFunctions.read(head);
      head.requireEndOf("the header of a function");
      return function;
    }
    if (kind != FunctionCodec.LAMBDA) {
      throw new MalformedException("unknown kind " + kind + " of function in an object");
    }
    LambdaDescriptor descriptor = LambdaDescriptor.read(head);
    int count = head.readCount(FunctionCodec.MAX_CAPTURED);
    head.requireEndOf("the header of a function");
    descriptor.requireAllowed(classResolver.allowList());
    @Nullable Object[] captured = new Object[count];
    for (int i = 0; i < count; i++) {
      captured[i] = context.readRef();
    }
    Object lambda = descriptor.instantiate(classResolver, captured);
    if (COLLECTED.isBound()) {
      COLLECTED.get().add(lambda);
    }
    return lambda;
  }

  /** Writes bytes with their length. */
  static void writeBlock(MemoryBuffer buffer, Output block) {
    buffer.writeInt32(block.position());
    buffer.writeBytes(block.array(), 0, block.position());
  }

  /** Reads what {@link #writeBlock} wrote; the bytes are for what is named. */
  static Input readBlock(MemoryBuffer buffer, Object what) {
    int length = buffer.readInt32();
    if (length < 0 || length > buffer.remaining()) {
      throw new MalformedException(
          length + " bytes needed for " + what + ", but only " + buffer.remaining() + " are left");
    }
    return new Input(Objects.requireNonNull(buffer.readBytes(length)));
  }

  /**
   * Rejects the parts of a lambda as an object of their own. Fory would otherwise read them and so
   * create a lambda without the checks of this class. It extends the serializer it replaces,
   * because Fory casts to that.
   *
   * <p><b>Threading:</b> immutable.
   */
  static final class PartsRejectingSerializer extends SerializedLambdaSerializer {

    PartsRejectingSerializer(TypeResolver resolver) {
      super(resolver, SerializedLambda.class);
    }

    @Override
    public void write(WriteContext context, Object value) {
      throw refusal();
    }

    @Override
    public Object read(ReadContext context) {
      throw refusal();
    }

    private static InsecureException refusal() {
      return new InsecureException("the parts of a lambda are never sent as an object");
    }
  }
}
