package io.cantle.function;

import java.io.Serializable;
import java.util.function.BinaryOperator;

/**
 * A {@link java.util.function.BinaryOperator} that can be sent to another node. A lambda or method
 * reference becomes one when it is passed where this type is expected. What it captures must be
 * sendable as well.
 */
@FunctionalInterface
public interface SerializableBinaryOperator<T> extends BinaryOperator<T>, Serializable {}
