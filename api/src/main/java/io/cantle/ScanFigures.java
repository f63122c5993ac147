package io.cantle;

/**
 * What scans take of a node at a moment, and the most they took so far.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param elementsWaiting elements that have come to this node and wait for their reader
 * @param bytesWaiting what they take, as they came
 * @param pullsOpen requests for elements, to owners, that have no answer yet
 * @param running requests of others, and of this node itself, that it works on as an owner
 * @param mostElementsWaiting the most elements that have waited at once
 * @param mostBytesWaiting the most bytes that have waited at once
 * @param mostPullsOpen the most pulls that were open at once
 * @param mostRunning the most requests that were worked on at once
 */
public record ScanFigures(
    long elementsWaiting,
    long bytesWaiting,
    long pullsOpen,
    long running,
    long mostElementsWaiting,
    long mostBytesWaiting,
    long mostPullsOpen,
    long mostRunning) {}
