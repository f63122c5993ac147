/**
 * Benchmarks beside the peers: one set of workloads and one driver per product, each product in
 * JVMs and a class path of its own. The command line starts a JVM per product and round and sums up
 * what they measured. It knows a product only by name and imports none. As the owner of processes,
 * it reads real time and starts threads. Begin with {@link io.cantle.bench.PeersCommand} or {@link
 * io.cantle.bench.LogCommand}.
 *
 * <p><b>Threading:</b> the command line and a round each run on their main thread; workloads run on
 * JMH's threads.
 */
@NullMarked
package io.cantle.bench;

import org.jspecify.annotations.NullMarked;
