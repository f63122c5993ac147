package io.cantle.cluster.idioms;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A few lines as an engineer writes them against a map.
 *
 * @param name what they do
 * @param ordered whether the elements of a list that it returns have an order
 * @param refusal texts of the error with which a cache refuses them; empty if it does the same as
 *     the JDK
 * @param code the lines; what they return is compared
 */
public record Idiom<M>(
    String name,
    boolean ordered,
    List<String> refusal,
    Function<? super M, ? extends @Nullable Object> code) {}
