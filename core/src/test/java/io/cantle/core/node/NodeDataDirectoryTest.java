package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.GridConfig;
import io.cantle.GridException;
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
    return openOnce("folder");
  }

  private UUID openOnce(String gridName) {
    return openOnce(gridName, folder);
  }

  private static UUID openOnce(String gridName, Path folder) {
    SystemEnvironment environment = new SystemEnvironment("folder");
    try {
      NodeDataDirectory directory =
          Objects.requireNonNull(
              NodeDataDirectory.openIfConfigured(
                  GridConfig.named(gridName).store(folder), environment.environment()));
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

  @Test
  void storeOfAGridIsRefusedToAnotherOne() {
    UUID node = openOnce("ty");
    assertThat(folder.resolve("grid.name")).hasContent("ty");
    assertThatExceptionOfType(GridException.class)
        .isThrownBy(() -> openOnce("tyy"))
        .withMessageContaining("is of grid \"ty\", not of grid \"tyy\"")
        .withMessageContaining("GridConfig.named(\"ty\")");
    assertThat(openOnce("ty")).as("it was released").isEqualTo(node);
  }

  /** Earlier versions kept no name. */
  @Test
  void storeWithoutTheNameOfItsGridTakesThatOfItsNextNode() throws Exception {
    UUID node = openOnce("ty");
    Files.delete(folder.resolve("grid.name"));
    assertThat(openOnce("any")).isEqualTo(node);
    assertThat(folder.resolve("grid.name")).hasContent("any");
  }

  @Test
  void gridNameIsReadAsItWasGiven() {
    String name = " ü shop ";
    assertThat(openOnce(name)).isEqualTo(openOnce(name));
  }

  @Test
  void saysWhyAFolderCannotBeMade() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> openOnce("folder", file.resolve("below")))
        .isInstanceOf(GridException.class)
        .hasMessageStartingWith("the folder " + file.resolve("below") + " of the store cannot be")
        .hasMessageContainingAll("Not a directory", "GridConfig.store");
    assertThatThrownBy(() -> openOnce("folder", Path.of("/proc/x")))
        .isInstanceOf(GridException.class)
        .hasMessageContainingAll("NoSuchFileException of /proc/x", "GridConfig.store");
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
