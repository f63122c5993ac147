package io.cantle.core.codec;

import org.apache.fory.context.ReadContext;
import org.apache.fory.context.WriteContext;
import org.apache.fory.exception.InsecureException;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.JdkProxySerializer;
import org.apache.fory.serializer.Serializer;

/**
 * Rejects dynamic proxies, which Fory would otherwise create.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ProxyRejectingSerializer extends Serializer<JdkProxySerializer.ReplaceStub> {

  ProxyRejectingSerializer(TypeResolver resolver) {
    super(resolver.getConfig(), JdkProxySerializer.ReplaceStub.class);
  }

  @Override
  public void write(WriteContext context, JdkProxySerializer.ReplaceStub value) {
    throw refusal();
  }

  @Override
  public JdkProxySerializer.ReplaceStub read(ReadContext context) {
    throw refusal();
  }

  private static InsecureException refusal() {
    return new InsecureException("dynamic proxies are never sent");
  }
}
