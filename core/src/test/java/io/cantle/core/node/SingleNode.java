package io.cantle.core.node;

import io.cantle.GridConfig;
import java.nio.file.Path;
import java.time.Duration;

/** A node alone, in an environment that ends with it. */
final class SingleNode implements AutoCloseable {
  final SystemEnvironment environment = new SystemEnvironment("test");
  final NodeGrid node;

  SingleNode(String... allowed) {
    this(GridConfig.named("test").allowing(allowed));
  }

  private SingleNode(GridConfig config) {
    node =
        Node.startLocal(
            config.nodeName("single").timeout(Duration.ofSeconds(20)),
            SingleNode.class.getClassLoader(),
            environment.environment(),
            environment::close);
  }

  /** A node alone that has a store. */
  static SingleNode withStore(Path folder) {
    return new SingleNode(GridConfig.named("test").store(folder));
  }

  @Override
  public void close() {
    node.close();
  }
}
