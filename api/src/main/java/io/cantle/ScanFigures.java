package io.cantle;

/**
 * What scans take of a node at a moment, and the most they have taken so far.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param elementsWaiting elements that arrived at this node and wait for their reader
 * @param bytesWaiting the bytes of these elements, as they arrived
 * @param pullsOpen requests for elements, sent to owners, that have no answer yet
 * @param running requests of other nodes and of this node that it works on as an owner
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
