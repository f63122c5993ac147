/**
 * The functional interfaces of {@link java.util.function}, made serializable, so that a plain
 * lambda given to a {@link io.cantle.CacheStream} runs where the entries are. A receiving node
 * checks the class a lambda was written in against {@link io.cantle.GridConfig#allowing} before it
 * touches it. The package imports the JDK alone. Begin with {@link
 * io.cantle.function.SerializableFunction}; primitive versions are in {@link
 * io.cantle.function.IntFunctions} and its siblings.
 */
package io.cantle.function;
