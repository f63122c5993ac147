package io.cantle.cli.demo;

import java.io.BufferedInputStream;
import java.util.Optional;

/**
 * Stands in for a node process: answers the conductor as its first argument says, without a grid.
 */
final class ScriptedNode {
  private ScriptedNode() {}

  public static void main(String... words) throws Exception {
    String behaviour = words[0];
    int number = Integer.parseInt(words[1]);
    int nodes = Integer.parseInt(words[2]);
    if (behaviour.equals("failsToJoin") && number == 2) {
      say(Message.of(Message.FAILED).with("text", "port taken"));
      System.exit(1);
    }
    say(Message.of(Message.JOINED).with("members", nodes));
    BufferedInputStream in = new BufferedInputStream(System.in);
    for (Optional<Message> order = Message.read(in); order.isPresent(); order = Message.read(in)) {
      answer(behaviour, order.get().word());
    }
  }

  private static void answer(String behaviour, String order) {
    switch (order) {
      case Message.LOAD -> {
        switch (behaviour) {
          case "crashes" -> System.exit(9);
          case "hangs" -> {}
          case "babbles" -> System.out.println("x\tno field");
          default -> {
            say(Message.of(Message.PROGRESS).with("count", 1));
            say(Message.of(Message.DONE).with("entries", 2));
          }
        }
      }
      case Message.STREAM -> {
        DepartureCounts counts = new DepartureCounts();
        counts.add(5, Departure.DELAYED, 1);
        counts.add(6, Departure.PUNCTUAL, 1);
        say(Message.of(Message.DONE).with("departures", counts.text()));
      }
      case Message.ROUTES -> say(Message.of(Message.DONE).with("routes", "EWR-IAH:2"));
      case Message.PUBLISH ->
          say(
              Message.of(Message.DONE)
                  .with("seen", 2)
                  .with("duplicates", 0)
                  .with("maxBufferedBytes", 64));
      case Message.ITERATE ->
          say(
              Message.of(Message.VICTIM)
                  .with("node", "node-3")
                  .with("seen", 1)
                  .with("unseenKeys", 1));
      default ->
          say(
              Message.of(Message.DONE)
                  .with("expected", 2)
                  .with("seen", 2)
                  .with("duplicates", 0)
                  .with("missing", 0)
                  .with("unexpected", 0));
    }
  }

  private static void say(Message message) {
    System.out.println(message.line());
  }
}
