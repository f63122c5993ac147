/**
 * How much memory the work of a node may take at once: a budget, divided into accounts, each with
 * an owner that gives back what it has reserved. It knows nothing else of the core.
 *
 * <p><b>Threading:</b> any thread.
 */
package io.cantle.core.memory;
