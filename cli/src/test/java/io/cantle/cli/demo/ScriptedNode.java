package io.cantle.cli.demo;

import java.io.BufferedInputStream;
import java.util.Optional;

/**
 * Stands in for a node process, without a grid: its first argument says how it answers the
 * conductor.
 */
final class ScriptedNode {
  private ScriptedNode() {}

  public static void main(String... words) throws Exception {
    String behaviour = words[0];
    int number = Integer.parseInt(words[1]);
    int nodes = Integer.parseInt(words[2]);
    if (behaviour.equals("failsToJoin") && number == 2) {
      say(DemoMessage.of(DemoMessage.FAILED).with("text", "port taken"));
      System.exit(1);
    }
    say(DemoMessage.of(DemoMessage.JOINED).with("members", nodes));
    BufferedInputStream in = new BufferedInputStream(System.in);
    for (Optional<DemoMessage> order = DemoMessage.read(in);
        order.isPresent();
        order = DemoMessage.read(in)) {
      answer(behaviour, order.get().word());
    }
  }

  private static void answer(String behaviour, String order) {
    switch (order) {
      case DemoMessage.LOAD -> {
        switch (behaviour) {
          case "crashes" -> System.exit(9);
          case "hangs" -> {}
          case "babbles" -> System.out.println("x\tno field");
          default -> {
            say(DemoMessage.of(DemoMessage.PROGRESS).with("count", 1));
            say(DemoMessage.of(DemoMessage.DONE).with("entries", 2));
          }
        }
      }
      case DemoMessage.STREAM -> {
        DepartureCounts counts = new DepartureCounts();
        counts.add(5, DepartureStatus.DELAYED, 1);
        counts.add(6, DepartureStatus.PUNCTUAL, 1);
        say(DemoMessage.of(DemoMessage.DONE).with("departures", counts.toText()));
      }
      case DemoMessage.ROUTES -> say(DemoMessage.of(DemoMessage.DONE).with("routes", "EWR-IAH:2"));
      case DemoMessage.PUBLISH ->
          say(
              DemoMessage.of(DemoMessage.DONE)
                  .with("seen", 2)
                  .with("duplicates", 0)
                  .with("maxBufferedBytes", 64));
      case DemoMessage.ITERATE ->
          say(
              DemoMessage.of(DemoMessage.VICTIM)
                  .with("node", "node-3")
                  .with("seen", 1)
                  .with("unseenKeys", 1));
      default ->
          say(
              DemoMessage.of(DemoMessage.DONE)
                  .with("expected", 2)
                  .with("seen", 2)
                  .with("duplicates", 0)
                  .with("missing", 0)
                  .with("unexpected", 0));
    }
  }

  private static void say(DemoMessage message) {
    System.out.println(message.toLine());
  }
}
