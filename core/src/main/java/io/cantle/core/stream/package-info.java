/**
 * Implements streams over a cache: records the pipeline, sends it to the owners of the entries, and
 * merges their partial results.
 *
 * <p>A stream is a recorded pipeline: the part of an entry that it starts from, its stages, and the
 * terminal operation. The recording is bytes. An owner replays it on a real {@link
 * java.util.stream.Stream} over its entries, so every operation means what it means in the JDK. A
 * stage that cannot be recorded runs on the calling node, over an exactly-once iterator.
 *
 * <p>This package imports {@code publish}, {@code scan}, {@code container}, {@code segment}, {@code
 * codec} and {@code base}, and the scratch file of {@code io.cantle.store}. Begin with {@link
 * io.cantle.core.stream.CacheStreamSource} and {@code Pipeline} for the calling node, and with
 * {@link io.cantle.core.stream.PipelineRunner} for the owners.
 *
 * <p><b>Threading:</b> a stream belongs to the thread that made it; a recorded pipeline is replayed
 * by the owner's thread that requested it.
 */
package io.cantle.core.stream;
