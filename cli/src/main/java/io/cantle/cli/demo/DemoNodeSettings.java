package io.cantle.cli.demo;

import io.cantle.CacheMode;
import io.cantle.ContainerKind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a node process, passed as its arguments.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param grid the name of the grid, which this demo alone uses
 * @param number the number of the node, from 1
 * @param ports the ports of all nodes, in their order
 * @param owners how many nodes hold each entry
 * @param data the file of flights
 * @param mode distributed, or scattered
 * @param container where the node keeps entries in memory
 * @param store the folder in which the node stores its data, null for none
 */
record DemoNodeSettings(
    String grid,
    int number,
    List<Integer> ports,
    int owners,
    Path data,
    CacheMode mode,
    ContainerKind container,
    @Nullable Path store) {

  String name() {
    return DemoSettings.nodeName(number);
  }

  int port() {
    return ports.get(number - 1);
  }

  /** The settings as command line arguments. */
  List<String> toArguments() {
    return List.of(
        grid,
        Integer.toString(number),
        ports.stream().map(String::valueOf).collect(Collectors.joining(",")),
        Integer.toString(owners),
        data.toString(),
        mode.name(),
        container.name(),
        store == null ? "" : store.toString());
  }

  /** Reads what {@link #toArguments} wrote. */
  static DemoNodeSettings parse(String... words) {
    if (words.length != 8) {
      throw new IllegalArgumentException(
          "a node of the demo takes 8 arguments, not " + words.length);
    }
    List<Integer> ports = Arrays.stream(words[2].split(",", -1)).map(Integer::valueOf).toList();
    return new DemoNodeSettings(
        words[0],
        Integer.parseInt(words[1]),
        ports,
        Integer.parseInt(words[3]),
        Path.of(words[4]),
        CacheMode.valueOf(words[5]),
        ContainerKind.valueOf(words[6]),
        words[7].isEmpty() ? null : Path.of(words[7]));
  }
}
