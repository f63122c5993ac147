/**
 * The driver of the log of RocksDB: puts that are synced.
 *
 * <p><b>Threading:</b> as {@link io.cantle.bench.log.LogDriver} says.
 */
@NullMarked
package io.cantle.bench.rocksdb;

import org.jspecify.annotations.NullMarked;
