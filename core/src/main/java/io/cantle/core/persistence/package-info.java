/**
 * What of a node outlives its process: copies of segments and a few notes. {@link
 * io.cantle.core.persistence.NodeStore} is the port, {@link io.cantle.core.persistence.DiskStore}
 * what is behind it where there is a disk. Knows entries, and nothing of who owns them.
 *
 * <p><b>Threading:</b> whoever calls never waits. What is handed over goes through a {@code Lane},
 * a thread that may, to the store, and what is to be run then through another thread, so that the
 * log's own is kept by nobody.
 */
package io.cantle.core.persistence;
