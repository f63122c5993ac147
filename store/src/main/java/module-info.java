import org.jspecify.annotations.NullMarked;

/**
 * The append log and the segmented store on it: bytes in, bytes out. It knows nothing of a cluster.
 */
@NullMarked
module io.cantle.store {
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires jdk.unsupported; // com.sun.nio.file.ExtendedOpenOption: writes past the cache

  exports io.cantle.store;
  exports io.cantle.store.disk;
  exports io.cantle.store.library;
  exports io.cantle.store.log;
  exports io.cantle.store.segment;
}
