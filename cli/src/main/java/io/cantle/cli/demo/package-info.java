/**
 * The demo: a command that is itself no member starts nodes as processes, has one of them load,
 * stream and iterate real flights, and kills another in the middle. {@code Conductor} is the story;
 * {@code DemoNode} is what a node does; the two speak in {@code Message}s over the node's stdin and
 * stdout.
 *
 * <p>Uses the api of the grid, and nothing of what is behind it.
 *
 * <p><b>Threading:</b> conductor and node each do their work on one thread; a thread per pipe reads
 * the messages of the other side into a bounded queue.
 */
package io.cantle.cli.demo;
