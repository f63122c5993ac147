/**
 * The functional interfaces of {@link java.util.function}, serializable, so that a plain lambda
 * given to a {@link io.cantle.CacheStream} runs where the entries are. A receiving node checks the
 * class a lambda was written in against {@link io.cantle.GridConfig#allow()} before it touches it.
 */
package io.cantle.function;
