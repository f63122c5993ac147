import org.jspecify.annotations.NullMarked;

/** The interfaces and records that users of Cantle compile against. Depends on JSpecify alone. */
@NullMarked
// The modules named below are built after this one, so the compiler cannot see them yet.
@SuppressWarnings("module")
module io.cantle {
  requires static transitive org.jspecify;

  exports io.cantle;
  exports io.cantle.function;
  exports io.cantle.spi to
      io.cantle.core,
      io.cantle.embedded;

  uses io.cantle.spi.GridProvider;
}
