import org.jspecify.annotations.NullMarked;

/** The append log and what stands on it: bytes in, bytes out; knows no cluster. */
@NullMarked
module io.cantle.store {
  requires static org.jspecify;

  exports io.cantle.store;
}
