package io.cantle.chaos;

import io.cantle.chaos.process.ChaosException;
import io.cantle.chaos.process.CommandOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A network namespace made for one run, with nothing but a loopback interface. Nodes bind to
 * addresses of their own in 127.0.0.0/8, which Cantle accepts, and each connection has such
 * addresses at both ends. So a rule about source and destination cuts one direction between two
 * nodes, as a broken switch would. Packets from or to other addresses would pass all cuts. They are
 * counted, and a run that has seen one proves nothing.
 *
 * <p><b>Threading:</b> any thread; cuts from one thread.
 */
final class NamespaceNetwork implements TestNetwork {
  private static final String PREFIX = "cantle-chaos-";
  private static final Path NAMESPACES = Path.of("/run/netns");
  private static final Path PROCESSES = Path.of("/proc");

  private static final String RULES =
      """
      table ip chaos {
        counter foreign {}
        chain cuts {}
        chain output {
          type filter hook output priority 0; policy accept;
          ip saddr != 127.0.0.10-127.0.0.99 counter name foreign
          ip daddr != 127.0.0.10-127.0.0.99 counter name foreign
          jump cuts
        }
      }
      """;

  private final String name;
  private volatile boolean created;
  private String missingTools = "not made";

  private NamespaceNetwork(String name) {
    this.name = name;
  }

  /** Returns a namespace for this process, still to be created. */
  static NamespaceNetwork forThisProcess() {
    return new NamespaceNetwork(PREFIX + ProcessHandle.current().pid());
  }

  @Override
  public void create() throws ChaosException, InterruptedException {
    if (!"root".equals(System.getProperty("user.name"))) {
      throw lackingException("only root can make a network namespace; run this as root");
    }
    for (String tool : List.of("ip", "nft")) {
      if (!CommandOutput.run(List.of(tool, "-V")).isSuccess()) {
        throw lackingException(
            tool + " is missing: install " + (tool.equals("ip") ? "iproute2" : "nftables"));
      }
    }
    removeAbandoned();
    created = true;
    requireCommand(List.of("ip", "netns", "add", name), "");
    requireCommand(commandInside(List.of("ip", "link", "set", "lo", "up")), "");
    requireCommand(commandInside(List.of("nft", "-f", "-")), RULES);
    missingTools = missing();
  }

  /**
   * Removes the namespaces of killed runs. Their nodes have ended with the run, except for paused
   * ones.
   */
  private static void removeAbandoned() throws InterruptedException {
    if (!Files.isDirectory(NAMESPACES)) {
      return;
    }
    try (Stream<Path> files = Files.list(NAMESPACES)) {
      for (Path file : files.toList()) {
        String found = file.getFileName().toString();
        if (found.startsWith(PREFIX)
            && !Files.exists(PROCESSES.resolve(found.substring(PREFIX.length())))) {
          CommandOutput pids = CommandOutput.run(List.of("ip", "netns", "pids", found));
          if (pids.isSuccess()) {
            pids.output().lines().forEach(NamespaceNetwork::killProcess);
          }
          CommandOutput _ = CommandOutput.run(List.of("ip", "netns", "del", found));
        }
      }
    } catch (IOException e) {
      // A namespace that cannot be inspected cannot be removed; nothing depends on it.
    }
  }

  private static void killProcess(String pid) {
    ProcessHandle.of(Long.parseLong(pid.strip())).ifPresent(ProcessHandle::destroyForcibly);
  }

  private String missing() throws InterruptedException {
    List<String> probe =
        commandInside(List.of("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "0ms"));
    return CommandOutput.run(probe).isSuccess()
        ? "netem present, not used"
        : "no netem in this kernel: links are cut, not delayed";
  }

  @Override
  public List<String> commandInside(List<String> command) {
    List<String> whole = new ArrayList<>(List.of("ip", "netns", "exec", name));
    whole.addAll(command);
    return whole;
  }

  @Override
  public boolean canCut() {
    return true;
  }

  @Override
  public void setCuts(Set<Link> links) throws ChaosException, InterruptedException {
    // One transaction: there is no moment between the old cuts and the new.
    StringBuilder rules = new StringBuilder("flush chain ip chaos cuts\n");
    for (Link link : links) {
      rules
          .append("add rule ip chaos cuts ip saddr ")
          .append(ChaosNodeSettings.address(link.from()))
          .append(" ip daddr ")
          .append(ChaosNodeSettings.address(link.to()))
          .append(" drop\n");
    }
    runOrFail(commandInside(List.of("nft", "-f", "-")), rules.toString());
  }

  /** Returns how many packets had an address at one end that no cut would have matched. */
  long foreignPackets() throws ChaosException, InterruptedException {
    String listed =
        runOrFail(commandInside(List.of("nft", "list", "counter", "ip", "chaos", "foreign")), "");
    String[] words = listed.strip().split("\\s+", -1);
    for (int i = 0; i + 1 < words.length; i++) {
      if (words[i].equals("packets")) {
        return Long.parseLong(words[i + 1]);
      }
    }
    throw new ChaosException(ChaosException.FAILED_STATUS, "nft shows no counter: " + listed);
  }

  @Override
  public String description() {
    return "namespace " + name + ", cuts by nftables; " + missingTools;
  }

  @Override
  public void close() {
    if (!created) {
      return;
    }
    try {
      CommandOutput _ = CommandOutput.run(List.of("ip", "netns", "del", name));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ChaosException lackingException(String problem) {
    return new ChaosException(ChaosException.LACKING_STATUS, problem);
  }

  /** Checks that this machine can run a command that a run needs. */
  private static void requireCommand(List<String> command, String input)
      throws ChaosException, InterruptedException {
    CommandOutput result = CommandOutput.run(command, input);
    if (!result.isSuccess()) {
      throw lackingException("this machine lacks something: " + result.describeFailure(command));
    }
  }

  private static String runOrFail(List<String> command, String input)
      throws ChaosException, InterruptedException {
    CommandOutput result = CommandOutput.run(command, input);
    if (!result.isSuccess()) {
      throw new ChaosException(ChaosException.FAILED_STATUS, result.describeFailure(command));
    }
    return result.output();
  }
}
