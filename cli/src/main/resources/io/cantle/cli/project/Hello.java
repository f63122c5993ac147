package hello;

import io.cantle.Cache;
import io.cantle.Grid;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** One of two processes: it puts a greeting into a map that both share, and prints the other's. */
final class Hello {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Takes the name of the grid, and the name of this process. */
  static void main(String[] names) throws InterruptedException {
    if (names.length != 2) {
      System.err.println("usage: ./run hello.Hello GRID NAME   (another NAME in each process)");
      System.exit(2);
    }
    String me = names[1];
    try (Grid grid = Grid.join(names[0])) {
      Cache<String, Greeting> greetings = grid.cache("greetings");
      greetings.put(me, new Greeting(me, "Hello from process " + ProcessHandle.current().pid()));
      IO.println(me + " has written its greeting, and waits for another");
      IO.println(me + " reads: " + waitForOther(greetings, me));
    }
  }

  /** The filter runs on the nodes that hold the greetings, and only what it leaves comes here. */
  private static Greeting waitForOther(Cache<String, Greeting> greetings, String me)
      throws InterruptedException {
    Instant end = Instant.now().plus(PATIENCE);
    while (Instant.now().isBefore(end)) {
      Optional<Greeting> other =
          greetings.values().stream().filter(greeting -> !greeting.from().equals(me)).findAny();
      if (other.isPresent()) {
        return other.get();
      }
      Thread.sleep(100);
    }
    throw new IllegalStateException(me + " met nobody in " + PATIENCE.toSeconds() + " s");
  }
}
