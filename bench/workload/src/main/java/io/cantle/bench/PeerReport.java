package io.cantle.bench;

import java.util.List;

/**
 * The contents of the JSON file.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param machine the machine on which all this ran
 * @param flags of the JVM of each round
 * @param rows the figures
 */
record PeerReport(MachineDescription machine, List<String> flags, List<PeerRow> rows) {}
