import org.jspecify.annotations.NullMarked;

/**
 * The network of a grid: the transport port on JGroups. It is the only module that knows JGroups.
 *
 * <p>JGroups has no module descriptor, so the warnings about automatic modules are suppressed.
 */
@NullMarked
@SuppressWarnings({"requires-automatic", "module"})
module io.cantle.jgroups {
  requires static com.google.errorprone.annotations;
  requires java.logging;
  requires org.jgroups;
  requires transitive io.cantle.core;
  requires static org.jspecify;

  exports io.cantle.jgroups to
      io.cantle.embedded;

  // JGroups finds properties of its protocols, and of those derived from them, by reflection.
  opens io.cantle.jgroups to
      org.jgroups;
}
