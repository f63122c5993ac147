/**
 * The port to the files of one directory. {@link io.cantle.store.disk.FileDisk} is the real
 * implementation. Tests bring one that loses, tears and reorders whatever was not synced, and that
 * forgets a chosen {@link io.cantle.store.disk.SyncPoint} to show that it is needed. The package
 * imports the JDK alone. Begin with {@link io.cantle.store.disk.Disk} and {@link
 * io.cantle.store.disk.DiskFile}.
 *
 * <p><b>Threading:</b> each type says which.
 */
package io.cantle.store.disk;
