package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.CacheConfig;
import io.cantle.GridConfig;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.ManualNetwork;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scattered caches as a node opens them. */
final class ScatteredNodeTest {
  private final SystemEnvironment environment = new SystemEnvironment("scattered");

  @AfterEach
  void close() {
    environment.close();
  }

  @Test
  void availableGridRefusesScatteredCaches() {
    Node node =
        new Node(
            GridConfig.named("grid").whenCut(WhenCut.available(MergePolicy.newer())),
            getClass().getClassLoader(),
            new ManualNetwork().transport(ManualNetwork.member("a")),
            environment.environment(),
            NodeStore.NONE,
            () -> {});
    assertThatIllegalStateException()
        .isThrownBy(() -> node.grid().cache("spread", CacheConfig.scattered()))
        .withMessageContaining("cache \"spread\" is scattered and the grid has WhenCut.available");
  }
}
