package io.cantle.core.node;

import io.cantle.GridConfig;
import java.time.Duration;

/** A node alone, in an environment that ends with it. */
final class SingleNode implements AutoCloseable {
  final SystemEnvironment environment = new SystemEnvironment("test");
  final NodeGrid node;

  SingleNode(String... allowed) {
    node =
        Node.startLocal(
            GridConfig.named("test")
                .nodeName("single")
                .timeout(Duration.ofSeconds(20))
                .allowing(allowed),
            SingleNode.class.getClassLoader(),
            environment.environment(),
            environment::close);
  }

  @Override
  public void close() {
    node.close();
  }
}
