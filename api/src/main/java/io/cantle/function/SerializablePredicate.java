package io.cantle.function;

import java.io.Serializable;
import java.util.function.Predicate;

/**
 * A {@link java.util.function.Predicate} that can be sent to another node. A lambda or method
 * reference becomes one when it is passed where this type is expected. What it captures must be
 * sendable as well.
 */
@FunctionalInterface
public interface SerializablePredicate<T> extends Predicate<T>, Serializable {}
