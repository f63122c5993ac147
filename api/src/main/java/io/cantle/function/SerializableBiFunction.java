package io.cantle.function;

import java.io.Serializable;
import java.util.function.BiFunction;

/**
 * A {@link java.util.function.BiFunction} that can be sent to another node. A lambda or method
 * reference becomes one when it is passed where this type is expected. What it captures must be
 * sendable as well.
 */
@FunctionalInterface
public interface SerializableBiFunction<T, U, R> extends BiFunction<T, U, R>, Serializable {}
