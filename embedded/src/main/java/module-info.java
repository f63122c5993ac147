import org.jspecify.annotations.NullMarked;

/** The one artifact users depend on: core with the JGroups transport, found by the api. */
@NullMarked
module io.cantle.embedded {
  requires io.cantle.core;
  requires io.cantle.jgroups;
  requires static org.jspecify;
  requires transitive io.cantle;

  provides io.cantle.spi.GridProvider with
      io.cantle.embedded.EmbeddedGrids;
}
