package io.cantle.function;

import java.io.Serializable;
import java.util.function.ToDoubleFunction;

/**
 * A {@link java.util.function.ToDoubleFunction} that can be sent to another node: a lambda or
 * method reference becomes one by being passed where this type is wanted. What it captures must be
 * sendable as well.
 */
@FunctionalInterface
public interface SerializableToDoubleFunction<T> extends ToDoubleFunction<T>, Serializable {}
