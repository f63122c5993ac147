/**
 * How much memory the work of a node may take at once. A budget is divided into accounts, and the
 * owner of each account releases what it has reserved. The package imports nothing else of the
 * core. Begin reading with {@link io.cantle.core.memory.WorkMemory}. Whether the heap has room for
 * entries is for {@link io.cantle.core.memory.HeapGuard} to say, and {@link
 * io.cantle.core.memory.ObjectLayout} says what objects take.
 *
 * <p><b>Threading:</b> any thread.
 */
package io.cantle.core.memory;
