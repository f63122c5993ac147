package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The files of one directory, by plain names. Creating, renaming and deleting a file are durable
 * only after {@link #syncNames}, and until then in no order.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Disk {

  /** The unit in bytes in which files are written: a write of one block never touches another. */
  int BLOCK_BYTES = 4096;

  /**
   * Makes the directory if it is missing, and its name durable.
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
   * Makes an empty file, in place of any of that name, and opens it.
   *
   * @throws IOException if that failed
   */
  DiskFile create(String name, FileAccess access) throws IOException;

  /**
   * Opens a file that is there.
   *
   * @throws IOException if it is not there, or cannot be opened
   */
  DiskFile open(String name, FileAccess access) throws IOException;

  /**
   * Gives a file another name, in place of any file that had it.
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
   * Makes durable what files there are and how they are called.
   *
   * @throws IOException if that failed
   */
  void syncNames(SyncPoint syncPoint) throws IOException;

  /**
   * An empty buffer, little endian, that a {@link FileAccess#DURABLE} file of this disk can be
   * written from; costly to make.
   */
  ByteBuffer allocateBuffer(int bytes);

  /** Where this is, for messages. */
  String location();
}
