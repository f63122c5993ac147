package io.cantle.bench;

import org.jspecify.annotations.Nullable;

/**
 * A figure as it is published. The names of the components are those of the JSON file.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param workload which workload
 * @param threads how many threads ran it at once
 * @param unit of the figures
 * @param product which product
 * @param version of the product
 * @param median over the rounds
 * @param min the worst round
 * @param max the best round
 * @param rounds how many rounds succeeded
 * @param ratioToCantle the median divided by Cantle's, less than 1 where Cantle is faster; null if
 *     Cantle was not measured
 */
record PeerRow(
    String workload,
    int threads,
    String unit,
    String product,
    String version,
    double median,
    double min,
    double max,
    int rounds,
    @Nullable Double ratioToCantle) {}
