package io.cantle.crash;

import io.cantle.chaos.process.CommandOutput;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A file system in a file, mounted through a loop device. Its power can be cut without affecting
 * anything else.
 *
 * <p><b>Threading:</b> one thread; another thread may close it.
 */
final class DiskImage implements AutoCloseable {
  /** The Debian package that makes each kind. */
  static final Map<String, String> PACKAGES = Map.of("ext4", "e2fsprogs", "xfs", "xfsprogs");

  /** XFS needs 300 MiB and more; the file is sparse. */
  private static final long IMAGE_BYTES = 512L << 20;

  private static final int MAX_UNMOUNT_TRIES = 50;
  private static final long RETRY_MILLIS = 20;

  private final String kind;
  private final Path file;
  private final Path mounted;
  private final List<CrashedFolder> victims;
  private volatile boolean isMounted;

  private DiskImage(String kind, Path folder) {
    this.kind = kind;
    this.file = folder.resolve(kind + ".image");
    this.mounted = folder.resolve(kind);
    this.victims = CrashedFolder.createAllIn(mounted);
  }

  /**
   * Creates a file system and mounts it.
   *
   * @throws CrashException if this machine cannot do that
   */
  static DiskImage create(String kind, Path folder)
      throws CrashException, IOException, InterruptedException {
    DiskImage image = new DiskImage(kind, folder);
    try (RandomAccessFile sparse = new RandomAccessFile(image.file.toFile(), "rw")) {
      sparse.setLength(IMAGE_BYTES);
    }
    Files.createDirectory(image.mounted);
    requireCommand(List.of("mkfs." + kind, "-q", image.file.toString()));
    image.mount();
    return image;
  }

  String kind() {
    return kind;
  }

  Path folder() {
    return mounted;
  }

  List<CrashedFolder> crashedFolders() {
    return victims;
  }

  private void mount() throws CrashException, InterruptedException {
    requireCommand(List.of("mount", "-o", "loop", file.toString(), mounted.toString()));
    isMounted = true;
  }

  /** Mounts it again after a power cut, which recovers the file system's own journal. */
  void remount() throws CrashException, InterruptedException {
    CommandOutput gone = unmount();
    if (!gone.isSuccess()) {
      throw new CrashException(CrashException.FAILED_STATUS, "umount failed: " + gone.output());
    }
    mount();
  }

  /** Runs a command that this machine must be able to run. */
  private static void requireCommand(List<String> command)
      throws CrashException, InterruptedException {
    CommandOutput tool = CommandOutput.run(command);
    if (!tool.isSuccess()) {
      throw new CrashException(
          CrashException.LACKING_STATUS,
          "this machine lacks something: " + tool.describeFailure(command));
    }
  }

  private CommandOutput unmount() throws InterruptedException {
    CommandOutput tool = CommandOutput.run(List.of("umount", mounted.toString()));
    // A process that has just ended may still be releasing its files.
    for (int tries = 0; !tool.isSuccess() && tries < MAX_UNMOUNT_TRIES; tries++) {
      Thread.sleep(RETRY_MILLIS);
      tool = CommandOutput.run(List.of("umount", mounted.toString()));
    }
    isMounted = !tool.isSuccess();
    return tool;
  }

  @Override
  public void close() {
    try {
      if (isMounted && !unmount().isSuccess()) {
        CommandOutput _ = CommandOutput.run(List.of("umount", "--lazy", mounted.toString()));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
