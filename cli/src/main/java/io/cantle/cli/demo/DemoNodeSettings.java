package io.cantle.cli.demo;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a node process is told when it starts.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param grid the name of the grid, of this demo alone
 * @param number which of the nodes it is, from 1
 * @param ports of all nodes, in their order
 * @param owners how many nodes hold each entry
 * @param data the file of flights
 * @param store the folder in which it keeps what it holds, null for none
 */
record DemoNodeSettings(
    String grid, int number, List<Integer> ports, int owners, Path data, @Nullable Path store) {

  String name() {
    return DemoSettings.nodeName(number);
  }

  int port() {
    return ports.get(number - 1);
  }

  /** As words of a command line. */
  List<String> toArguments() {
    return List.of(
        grid,
        Integer.toString(number),
        ports.stream().map(String::valueOf).collect(Collectors.joining(",")),
        Integer.toString(owners),
        data.toString(),
        store == null ? "" : store.toString());
  }

  /** What {@link #toArguments} wrote. */
  static DemoNodeSettings parse(String... words) {
    if (words.length != 6) {
      throw new IllegalArgumentException("a node of the demo is told 6 words, not " + words.length);
    }
    List<Integer> ports = Arrays.stream(words[2].split(",", -1)).map(Integer::valueOf).toList();
    return new DemoNodeSettings(
        words[0],
        Integer.parseInt(words[1]),
        ports,
        Integer.parseInt(words[3]),
        Path.of(words[4]),
        words[5].isEmpty() ? null : Path.of(words[5]));
  }
}
