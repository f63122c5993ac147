package io.cantle.core.node;

import io.cantle.GridConfig;
import java.time.Duration;

/** A node alone in a world that ends with it. */
final class AloneNode implements AutoCloseable {
  final SystemWorld world = new SystemWorld("test");
  final Node node;

  AloneNode(String... allowed) {
    node =
        Node.alone(
            GridConfig.named("test")
                .nodeName("single")
                .timeout(Duration.ofSeconds(5))
                .allowing(allowed),
            AloneNode.class.getClassLoader(),
            world.world(),
            world::close);
  }

  @Override
  public void close() {
    node.close();
  }
}
