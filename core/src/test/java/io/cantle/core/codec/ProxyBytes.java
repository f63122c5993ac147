package io.cantle.core.codec;

import java.util.Arrays;
import org.apache.fory.Fory;

/** The bytes of a dynamic proxy as a sender without Cantle's rules would write it. */
final class ProxyBytes {
  private ProxyBytes() {}

  static byte[] of(Object proxy, ClassLoader loader) {
    byte[] body =
        Fory.builder()
            .withXlang(false)
            .withRefTracking(true)
            .withCompatible(true)
            .serializeEnumByName(true)
            .requireClassRegistration(false)
            .suppressClassRegistrationWarnings(true)
            .withTypeChecker((resolver, name) -> true)
            .withClassLoader(loader)
            .build()
            .serialize(proxy);
    byte[] bytes = new byte[body.length + 1];
    bytes[0] = Codec.OBJECT_FORM;
    System.arraycopy(body, 0, bytes, 1, body.length);
    return Arrays.copyOf(bytes, bytes.length);
  }
}
