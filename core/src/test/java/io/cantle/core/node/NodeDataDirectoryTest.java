package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.GridConfig;
import io.cantle.core.base.NonBlockingThread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a directory whose store is refused. */
final class NodeDataDirectoryTest {
  @TempDir private Path folder = Path.of("");

  private UUID openOnce() {
    SystemEnvironment environment = new SystemEnvironment("folder");
    try {
      NodeDataDirectory directory =
          Objects.requireNonNull(
              NodeDataDirectory.openIfConfigured(
                  GridConfig.named("folder").store(folder), environment.environment()));
      directory.store().close();
      return directory.nodeId();
    } finally {
      environment.close();
    }
  }

  @Test
  void refusedStoreIsMovedAsideAndNothingIsDeleted() throws Exception {
    UUID first = openOnce();
    Files.writeString(folder.resolve("entries"), "of the first");
    Path aside = NodeDataDirectory.putAside(folder);
    assertThat(aside).isEqualTo(folder.resolve("refused-1"));
    assertThat(aside.resolve("node.id")).hasContent(first.toString());
    assertThat(aside.resolve("entries")).hasContent("of the first");
    assertThat(folder.resolve("entries")).doesNotExist();
    UUID second = openOnce();
    assertThat(second).isNotEqualTo(first);
    assertThat(NodeDataDirectory.putAside(folder)).isEqualTo(folder.resolve("refused-2"));
    assertThat(aside.resolve("entries")).hasContent("of the first");
    assertThat(folder.resolve("refused-2").resolve("node.id")).hasContent(second.toString());
  }

  @Test
  void moveThatACrashInterruptedIsFinishedAtTheNextStart() throws Exception {
    UUID first = openOnce();
    Files.writeString(folder.resolve("entries"), "of the first");
    Path unfinished = Files.createDirectory(folder.resolve("refused-1.unfinished"));
    Files.move(folder.resolve("node.id"), unfinished.resolve("node.id"));
    assertThat(openOnce()).isNotEqualTo(first);
    assertThat(folder.resolve("refused-1").resolve("node.id")).hasContent(first.toString());
    assertThat(folder.resolve("refused-1").resolve("entries")).hasContent("of the first");
    assertThat(unfinished).doesNotExist();
  }

  /** A member that reads slowly must not hold up what this node owes to others. */
  @Test
  void whatWaitsForTheDiskRunsWhereNothingWaitsForTheNetwork() throws Exception {
    SystemEnvironment environment = new SystemEnvironment("folder");
    NodeDataDirectory directory =
        Objects.requireNonNull(
            NodeDataDirectory.openIfConfigured(
                GridConfig.named("folder").store(folder), environment.environment()));
    CompletableFuture<Boolean> ranOnNonBlockingThread = new CompletableFuture<>();
    directory
        .store()
        .replicaStore(0, 0)
        .runOnceOnDisk(() -> ranOnNonBlockingThread.complete(NonBlockingThread.isCurrent()));
    try {
      assertThat(ranOnNonBlockingThread.get(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      directory.store().close();
      environment.close();
    }
  }
}
