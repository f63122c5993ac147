/**
 * The port to the files of one directory. {@link io.cantle.store.disk.FileDisk} is the real one;
 * tests bring one that loses, tears and reorders whatever was not synced, and that forgets a chosen
 * {@link io.cantle.store.disk.SyncPoint} to show that it is needed.
 *
 * <p><b>Threading:</b> each type says which.
 */
package io.cantle.store.disk;
