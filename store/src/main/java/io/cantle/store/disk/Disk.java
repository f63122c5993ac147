package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The files of one directory, by plain names. Creating, renaming and deleting a file become durable
 * only with {@link #syncNames}, and until then in any order.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Disk {

  /** The unit in bytes in which files are written: a write of one block never touches another. */
  int BLOCK_BYTES = 4096;

  /**
   * Creates the directory if it is missing, and makes its name durable.
   *
   * @throws IOException if that failed, or something else has its name
   */
  void createDirectory() throws IOException;

  /**
   * The names of all files, in no order.
   *
   * @throws IOException if the directory cannot be read
   */
  List<String> names() throws IOException;

  /**
   * Creates an empty file, replacing any of that name, and opens it.
   *
   * @throws IOException if that failed
   */
  DiskFile create(String name, FileAccess access) throws IOException;

  /**
   * Opens an existing file.
   *
   * @throws IOException if it does not exist, or cannot be opened
   */
  DiskFile open(String name, FileAccess access) throws IOException;

  /**
   * Renames a file, replacing any file that had the new name.
   *
   * @throws IOException if that failed
   */
  void rename(String from, String to) throws IOException;

  /**
   * Deletes a file; does nothing if there is none of that name.
   *
   * @throws IOException if that failed
   */
  void delete(String name) throws IOException;

  /**
   * Makes durable which files exist and their names.
   *
   * @throws IOException if that failed
   */
  void syncNames(SyncPoint syncPoint) throws IOException;

  /**
   * Allocates an empty little-endian buffer from which a {@link FileAccess#DURABLE} file of this
   * disk can be written. Allocating is expensive.
   */
  ByteBuffer allocateBuffer(int bytes);

  /** Where this disk is, for messages. */
  String location();
}
