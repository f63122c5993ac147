import org.jspecify.annotations.NullMarked;

/**
 * The engine of one node. Users see only the api; what is exported here serves the modules that
 * bring a network, a simulation or a command line.
 */
@NullMarked
// "requires-automatic": Fory has no module descriptor. "module": the modules exported to are built
// after this one, so the compiler cannot see them yet.
@SuppressWarnings({"requires-automatic", "module"})
module io.cantle.core {
  requires com.dynatrace.hash4j;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires transitive io.cantle;
  requires transitive io.cantle.store;
  requires org.apache.fory.core;
  // Records membership events; the classes of a recording are loaded only when there is one.
  requires jdk.jfr;
  // The beans of a node and its caches.
  requires java.management;
  // What a collection has left in the heap.
  requires jdk.management;
  // Takes lambdas apart; called by reflection, so the compiler does not see why.
  requires jdk.unsupported;

  exports io.cantle.core.agreement to
      io.cantle.simulation;
  exports io.cantle.core.base to
      io.cantle.embedded,
      io.cantle.network,
      io.cantle.simulation,
      io.cantle.cli;
  exports io.cantle.core.container to
      io.cantle.simulation;
  exports io.cantle.core.memory to
      io.cantle.simulation;
  exports io.cantle.core.node to
      io.cantle.cli,
      io.cantle.embedded,
      io.cantle.simulation;
  exports io.cantle.core.ownership to
      io.cantle.simulation;
  exports io.cantle.core.partition to
      io.cantle.simulation;
  exports io.cantle.core.segment to
      io.cantle.simulation;
  exports io.cantle.core.persistence to
      io.cantle.embedded,
      io.cantle.simulation;
  exports io.cantle.core.replica to
      io.cantle.simulation;
  exports io.cantle.core.transport to
      io.cantle.embedded,
      io.cantle.network,
      io.cantle.simulation,
      io.cantle.cli;
  exports io.cantle.core.wire to
      io.cantle.simulation;
}
