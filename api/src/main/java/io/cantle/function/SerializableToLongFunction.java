package io.cantle.function;

import java.io.Serializable;
import java.util.function.ToLongFunction;

/**
 * A {@link java.util.function.ToLongFunction} that can be sent to another node: a lambda or method
 * reference becomes one by being passed where this type is wanted. What it captures must be
 * sendable as well.
 */
@FunctionalInterface
public interface SerializableToLongFunction<T> extends ToLongFunction<T>, Serializable {}
