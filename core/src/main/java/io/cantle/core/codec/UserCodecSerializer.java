package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.Objects;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.Serializer;

/**
 * Serializes objects of a class with a user's codec within object graphs. Fory writes the class
 * name as for any other class; the codec's name and output follow.
 *
 * <p><b>Threading:</b> any thread.
 */
final class UserCodecSerializer extends Serializer<Object> {
  private final UserCodecRegistry userCodecs;
  private final UserCodecRegistry.RegisteredCodec codec;

  // The class is that of the codec, whatever it is.
  @SuppressWarnings("unchecked")
  UserCodecSerializer(
      TypeResolver resolver,
      UserCodecRegistry userCodecs,
      UserCodecRegistry.RegisteredCodec codec) {
    super(resolver.getConfig(), (Class<Object>) codec.type());
    this.userCodecs = userCodecs;
    this.codec = codec;
  }

  @Override
  public void write(WriteContext context, Object value) {
    Output out = new Output(64);
    out.writeString(codec.name());
    try {
      userCodecs.write(codec, value, out);
    } catch (IllegalArgumentException e) {
      // Of the nested causes, this one is to be reported.
      MalformedException malformed = new MalformedException(String.valueOf(e.getMessage()));
      malformed.initCause(e);
      throw malformed;
    }
    MemoryBuffer buffer = context.getBuffer();
    buffer.writeInt32(out.position());
    buffer.writeBytes(out.array(), 0, out.position());
  }

  @Override
  public Object read(ReadContext context) {
    MemoryBuffer buffer = context.getBuffer();
    int length = buffer.readInt32();
    if (length < 0 || length > buffer.remaining()) {
      throw new MalformedException(
          length + " bytes needed for " + codec + ", but only " + buffer.remaining() + " are left");
    }
    Input in = new Input(Objects.requireNonNull(buffer.readBytes(length)));
    Object value = userCodecs.read(UserCodecRegistry.readName(in), in);
    if (in.remaining() != 0 || value.getClass() != codec.type()) {
      throw new MalformedException("what " + codec + " has read has extra bytes or another class");
    }
    return value;
  }
}
