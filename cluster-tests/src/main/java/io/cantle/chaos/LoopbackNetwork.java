package io.cantle.chaos;

import java.util.List;
import java.util.Set;

/**
 * The ordinary loopback interface. Nothing is created or removed, and nothing can be cut.
 *
 * <p><b>Threading:</b> immutable.
 */
record LoopbackNetwork() implements TestNetwork {
  @Override
  public void create() {}

  @Override
  public List<String> commandInside(List<String> command) {
    return command;
  }

  @Override
  public boolean canCut() {
    return false;
  }

  @Override
  public void setCuts(Set<Link> links) {
    if (!links.isEmpty()) {
      throw new IllegalStateException("the loopback interface cannot be cut");
    }
  }

  @Override
  public String description() {
    return "loopback, no cuts";
  }

  @Override
  public void close() {}
}
