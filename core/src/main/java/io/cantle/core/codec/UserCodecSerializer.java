package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
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
      throw new MalformedException(String.valueOf(e.getMessage()), e);
    }
    LambdaSerializer.writeBlock(context.getBuffer(), out);
  }

  @Override
  public Object read(ReadContext context) {
    Input in = LambdaSerializer.readBlock(context.getBuffer(), codec);
    Object value = userCodecs.read(UserCodecRegistry.readName(in), in);
    if (in.remaining() != 0 || value.getClass() != codec.type()) {
      throw new MalformedException("what " + codec + " has read has extra bytes or another class");
    }
    return value;
  }
}
