package io.cantle.chaos.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The child's end of a {@link ChildProcess}. Orders arrive as lines on the standard input, and the
 * child writes its messages to the original standard output. The process ends with its input, so no
 * child outlives the process that directs it, however that ends.
 *
 * <p><b>Threading:</b> one platform thread reads orders; any thread writes messages; {@link
 * #serveOrders} runs on the thread that calls it.
 */
public final class ChildOrders {
  static final String READY = "ready";
  static final String ANSWER = "answer";
  static final String FAILED = "failed";

  private static final System.Logger LOGGER = System.getLogger(ChildOrders.class.getName());
  private static final int ABANDONED_STATUS = 3;
  private static final int FAILED_STATUS = 1;
  private static final int MAX_WAITING_ORDERS = 100;

  private final PrintStream out;
  private final BlockingQueue<JsonLine> waiting = new ArrayBlockingQueue<>(MAX_WAITING_ORDERS);

  private ChildOrders(PrintStream out) {
    this.out = out;
  }

  /** Executes orders. */
  public interface Handler {
    /**
     * Executes an order.
     *
     * @param order which order
     * @param details the fields that came with it
     * @return the answer
     */
    JsonLine handle(String order, JsonLine details) throws Exception;
  }

  /**
   * Takes over the standard streams of this process. Everything else it prints goes to the standard
   * error from now on.
   */
  public static ChildOrders takeOver() {
    ChildOrders orders = new ChildOrders(new PrintStream(System.out, true, StandardCharsets.UTF_8));
    System.setOut(System.err);
    Thread.ofPlatform().daemon().name("cantle-chaos-orders").start(orders::readOrders);
    return orders;
  }

  private void readOrders() {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        waiting.add(JsonLine.parse(line));
      }
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.WARNING, "orders cannot be read any more", e);
    } finally {
      // Not a leave: the process that gave the orders has ended, and with it the run.
      Runtime.getRuntime().halt(ABANDONED_STATUS);
    }
  }

  /** Reports that this process is ready for orders. */
  public void reportReady(JsonLine details) {
    writeMessage(READY, details);
  }

  /** Writes a message that answers no order. */
  public void writeMessage(String kind, JsonLine details) {
    write(details.with("say", kind));
  }

  /** Reports why this process cannot go on, and ends it. */
  public void reportFailure(Throwable reason) {
    LOGGER.log(System.Logger.Level.ERROR, "the process gives up", reason);
    writeMessage(FAILED, JsonLine.empty().with("error", reason.toString()));
    Runtime.getRuntime().halt(FAILED_STATUS);
  }

  /** Executes orders as they arrive, each on a virtual thread, until the input ends. */
  public void serveOrders(Handler handler) throws InterruptedException {
    while (true) {
      execute(waiting.take(), handler);
    }
  }

  /** Executes the next order on a virtual thread, if one arrives in time. */
  public void serveNext(Handler handler, long timeoutMillis) throws InterruptedException {
    execute(waiting.poll(timeoutMillis, TimeUnit.MILLISECONDS), handler);
  }

  private void execute(@Nullable JsonLine order, Handler handler) {
    if (order != null) {
      Thread.ofVirtual().start(() -> executeAndAnswer(order, handler));
    }
  }

  private void executeAndAnswer(JsonLine order, Handler handler) {
    JsonLine answer;
    try {
      answer = handler.handle(order.text("order"), order);
    } catch (Exception e) {
      LOGGER.log(System.Logger.Level.WARNING, "cannot obey " + order, e);
      answer = JsonLine.empty().with("error", e.toString());
    }
    write(answer.with("say", ANSWER).with("id", order.number("id")));
  }

  private void write(JsonLine line) {
    out.println(line.toString());
  }
}
