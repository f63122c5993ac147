package io.cantle.bench.log;

import java.nio.file.Path;

/**
 * The settings with which a log is opened.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param folder an empty one, for its files
 * @param cell the variant, how it is set, and how many threads will append at once
 * @param synced whether an append returns only when its record is durable
 * @param syncDelayNanos how much longer each sync shall take, 0 for no added delay
 */
public record LogSetting(Path folder, LogCell cell, boolean synced, long syncDelayNanos) {}
