/**
 * What outlives a node's process: replicas of segments and a few records. {@link
 * io.cantle.core.persistence.NodeStore} is the port, and {@link
 * io.cantle.core.persistence.DiskStore} its implementation on a disk. The package may import the
 * module {@code store}, {@code container} and the packages below. It knows entries, but not which
 * node owns them. Begin reading with {@link io.cantle.core.persistence.NodeStore} and {@link
 * io.cantle.core.persistence.ReplicaStore}.
 *
 * <p><b>Threading:</b> callers never wait. Their writes go through a {@code DiskWriteQueue}, whose
 * thread may wait for the store. Callbacks run on yet another thread, so that they do not hold up
 * the log's own.
 */
package io.cantle.core.persistence;
