/**
 * Benchmarks beside the peers: one set of workloads, one driver per product, each product in JVMs
 * and a class path of its own. The command line starts a JVM per product and round and sums up what
 * they measured; it knows no product but by name. Being the owner of processes, it reads real time
 * and starts threads.
 *
 * <p><b>Threading:</b> the command line and a round each run on their main thread; workloads run on
 * JMH's threads.
 */
@NullMarked
package io.cantle.bench;

import org.jspecify.annotations.NullMarked;
