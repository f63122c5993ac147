/**
 * Describes a stream over a cache, ships the description to the owners of the entries, and merges
 * what they answer.
 *
 * <p>A stream is a recorded pipeline: the part of the entries it starts from, its stages, and the
 * operation that ends it. The recording is bytes; an owner replays it on a real {@link
 * java.util.stream.Stream} over its entries, so that every operation means what it means in the
 * JDK. What cannot be recorded runs on the calling node, over an exactly-once iterator.
 *
 * <p>Uses {@code publish}, {@code container}, {@code codec} and {@code base}.
 *
 * <p><b>Threading:</b> a stream belongs to the thread that made it; a recorded pipeline is replayed
 * by the thread of the owner that asked for it.
 */
package io.cantle.core.stream;
