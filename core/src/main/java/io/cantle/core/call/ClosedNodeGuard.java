package io.cantle.core.call;

/**
 * Has the calls of a node that was closed, or has failed, say so. The parts of such a node stop one
 * after another. A call that meets a stopped part finds the node cut off, or its threads gone,
 * which is no answer to its user.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param usableCheck throws what the user is to know if the node cannot be used
 */
public record ClosedNodeGuard(Runnable usableCheck) {
  /** The guard of a node that is never closed. */
  public static final ClosedNodeGuard NONE = new ClosedNodeGuard(() -> {});

  /** Throws if the node was closed or has failed. */
  public void check() {
    usableCheck.run();
  }

  /** Returns what ended a call, or throws what the user is to know instead. */
  public RuntimeException explain(RuntimeException ended) {
    usableCheck.run();
    return ended;
  }
}
