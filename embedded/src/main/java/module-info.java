import org.jspecify.annotations.NullMarked;

/**
 * The one artifact that users depend on: the engine with the Netty transport, found through the
 * public API.
 */
@NullMarked
module io.cantle.embedded {
  requires io.cantle.core;
  requires io.cantle.network;
  requires static org.jspecify;
  requires transitive io.cantle;

  provides io.cantle.spi.GridProvider with
      io.cantle.embedded.EmbeddedGrids;
}
