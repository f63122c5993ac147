package io.cantle.bench;

import java.util.List;

/**
 * The JSON file.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param machine what all this ran on
 * @param flags of the JVM of each round
 * @param rows the figures
 */
record PeerReport(MachineDescription machine, List<String> flags, List<PeerRow> rows) {}
