package io.cantle.bench.log;

import java.nio.file.Path;

/**
 * What a log is opened with.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param folder an empty one, for its files
 * @param writers how many threads will append at once
 * @param synced whether an append returns only when its record is durable
 * @param syncDelayNanos how much longer each sync shall take, 0 for a disk as it is
 */
public record LogSetting(Path folder, int writers, boolean synced, long syncDelayNanos) {}
