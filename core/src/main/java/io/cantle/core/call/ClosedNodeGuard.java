package io.cantle.core.call;

import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Has the calls of a node that was closed, or has failed, say so. The parts of such a node stop one
 * after another. A call that meets a stopped part finds the node cut off, or its threads gone,
 * which is no answer to its user.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param nodeName the node
 * @param usableCheck throws what the user is to know if the node cannot be used
 */
public record ClosedNodeGuard(String nodeName, Runnable usableCheck) {
  /** The guard of a node that is never closed. */
  public static final ClosedNodeGuard NONE = new ClosedNodeGuard("none", () -> {});

  /** What users are told of a node that was closed. */
  public static String closedText(String nodeName) {
    return "node " + nodeName + " is closed; join its grid again";
  }

  /** Throws if the node was closed or has failed. */
  public void check() {
    usableCheck.run();
  }

  /**
   * Returns an argument of a call. A node that cannot be used says so first.
   *
   * @throws NullPointerException if it is null; the message is its name
   */
  public <T> T requireArgument(@Nullable T argument, String name) {
    if (argument == null) {
      check();
      throw new NullPointerException(name);
    }
    return argument;
  }

  /** Why the node cannot be used, because it was closed or has failed; null if it can. */
  public @Nullable String unusableReason() {
    try {
      check();
      return null;
    } catch (GridException | IllegalStateException e) {
      return e.getMessage();
    }
  }

  /** Returns what ended a call, or throws what the user is to know instead. */
  public RuntimeException explain(RuntimeException ended) {
    check();
    // A node refuses tasks only once it is closed.
    return ended instanceof RejectedExecutionException
        ? new IllegalStateException(closedText(nodeName))
        : ended;
  }

  /**
   * Returns what ended a call that may have written already, as an expected failure: that the node
   * cannot be used, if that is why, or what was thrown. Null if it was a mistake of the caller.
   */
  public @Nullable GridException explainExpected(Throwable ended) {
    String unusable =
        ended instanceof RejectedExecutionException ? closedText(nodeName) : unusableReason();
    if (unusable != null && isCausedBy(unusable, ended)) {
      return new NotAvailableException(unusable);
    }
    return ended instanceof GridException expected ? expected : null;
  }

  private static boolean isCausedBy(String unusable, Throwable ended) {
    return switch (ended) {
      case NotAvailableException _, IndeterminateException _ -> true;
      case RejectedExecutionException _ -> true;
      case IllegalStateException e -> unusable.equals(e.getMessage());
      default -> false;
    };
  }
}
