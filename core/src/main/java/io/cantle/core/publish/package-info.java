/**
 * What users read a cache by: iterators, publishers for {@code java.util.concurrent.Flow} with
 * their splits, and pages.
 *
 * <p>This package imports {@code scan}, which asks the owners, and packages below it. It knows
 * nothing of streams: a task is bytes to it. Begin with {@link
 * io.cantle.core.publish.CacheScanner}.
 *
 * <p><b>Threading:</b> a scan belongs to the thread that began it; a subscription has a virtual
 * thread of the node while there is demand.
 */
package io.cantle.core.publish;
