package io.cantle.core.codec;

import java.lang.invoke.SerializedLambda;
import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.exception.InsecureException;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.SerializedLambdaSerializer;

/**
 * Rejects the parts of a lambda as an object of their own. Fory would otherwise read them and so
 * create a lambda without the checks of {@link LambdaSerializer}. The class extends the serializer
 * it replaces, because Fory casts to that.
 *
 * <p><b>Threading:</b> immutable.
 */
final class LambdaRejectingSerializer extends SerializedLambdaSerializer {

  LambdaRejectingSerializer(TypeResolver resolver) {
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
