package io.cantle.chaos;

import java.util.List;
import java.util.Set;

/**
 * The loopback interface as it is: nothing to be made or removed, nothing can be cut.
 *
 * <p><b>Threading:</b> immutable.
 */
record Loopback() implements Network {
  @Override
  public void make() {}

  @Override
  public List<String> inside(List<String> command) {
    return command;
  }

  @Override
  public boolean cuts() {
    return false;
  }

  @Override
  public void cut(Set<Link> links) {
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
