package io.cantle.function;

import java.io.Serializable;
import java.util.function.BiFunction;

/**
 * A {@link java.util.function.BiFunction} that can be sent to another node: a lambda or method
 * reference becomes one by being passed where this type is wanted. What it captures must be
 * sendable as well.
 */
@FunctionalInterface
public interface SerializableBiFunction<T, U, R> extends BiFunction<T, U, R>, Serializable {}
