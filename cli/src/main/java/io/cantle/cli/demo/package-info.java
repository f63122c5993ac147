/**
 * The command {@code demo}. It starts nodes as processes, has one of them load, stream and iterate
 * real flights, and kills another in the middle. The command itself is no member of the grid.
 * {@code DemoConductor} runs the steps in order, and {@code DemoNode} is the program of a node. The
 * two exchange {@code DemoMessage}s over the node's stdin and stdout.
 *
 * <p>It uses only the public API of the grid. Begin reading with {@code DemoConductor}.
 *
 * <p><b>Threading:</b> the conductor and a node each work on one thread. A thread for each pipe
 * reads the messages of the other side into a bounded queue.
 */
package io.cantle.cli.demo;
