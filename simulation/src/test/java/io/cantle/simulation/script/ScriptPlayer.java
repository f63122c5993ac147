package io.cantle.simulation.script;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.Durability;
import io.cantle.MergePolicy;
import io.cantle.WhenCut;
import io.cantle.core.base.Input;
import io.cantle.core.transport.MessageKind;
import io.cantle.simulation.MessageObserver.MessageEvent;
import io.cantle.simulation.ScriptedStage;
import io.cantle.simulation.StageMessage;
import io.cantle.simulation.StageNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The player of one script: it runs the commands with real nodes, one after the other, and prints
 * what each produces. Nothing is left to chance: a message takes a millisecond, a write to disk
 * five, and threads run in the order in which they became runnable.
 *
 * <p>A command does not wait for what it began. It ends when nothing was printed for {@link
 * #QUIET}, or after {@link #MAX_WAIT}, and what comes later is printed beneath a later command.
 *
 * <p><b>Threading:</b> one thread calls {@link #play}, and becomes the carrier of the simulation.
 */
final class ScriptPlayer {
  /** How long nothing happens before the next command begins. */
  private static final Duration QUIET = Duration.ofMillis(60);

  /** When the next command begins at the latest. */
  private static final Duration MAX_WAIT = Duration.ofMillis(500);

  private static final Duration STEP = Duration.ofMillis(1);

  /** How many entries a scan requests at a time. */
  private static final int SCAN_BATCH = 2;

  private static final int MAX_OUTPUT_LINES = 120;

  /** A node that starts later joins; it never founds a grid with other late nodes. */
  private static final int NEVER_FOUNDS = 1_000;

  private final ProtocolScript script;
  private final ScriptedStage stage;
  private final Map<UUID, String> names = new HashMap<>();
  private final Set<MessageFamily> shown = EnumSet.allOf(MessageFamily.class);
  private final StateText states = new StateText(names);
  private final List<List<String>> outputs = new ArrayList<>();
  private final Map<String, StageNode> nodes = new TreeMap<>();
  private final List<ScriptCommand> commands;
  private List<String> output = new ArrayList<>();
  private MessageText texts = new MessageText(names, false);
  private CacheConfig config = CacheConfig.distributed().owners(2).segments(1);
  private long printedNanos;
  private boolean silent;
  private String lastLine = "";
  private int repeated;

  /** Whether the present command is followed by what it causes. */
  private boolean causes;

  private ScriptPlayer(ProtocolScript script) {
    this.script = script;
    this.stage = ScriptedStage.exact(this::onMessage);
    this.commands =
        List.of(
            new ScriptCommand("grid NODES...", this::foundGrid),
            new ScriptCommand("settings SETTINGS...", this::applySettings),
            new ScriptCommand("messages FAMILIES...", this::choose),
            new ScriptCommand("start NODES...", this::start),
            new ScriptCommand("put KEY VALUE from NODE", this::put),
            new ScriptCommand("put KEY VALUE for TIME from NODE", this::putFor),
            new ScriptCommand("putIfAbsent KEY VALUE from NODE", this::putIfAbsent),
            new ScriptCommand("append KEY VALUE from NODE", this::append),
            new ScriptCommand("get KEY from NODE", this::get),
            new ScriptCommand("remove KEY from NODE", this::remove),
            new ScriptCommand("putAll NODE ENTRIES...", this::putAll),
            new ScriptCommand("scan from NODE", this::scan),
            new ScriptCommand("size from NODE", this::size),
            new ScriptCommand("getAll NODE KEYS...", this::getAll),
            new ScriptCommand("destroy from NODE", this::destroy),
            new ScriptCommand("open from NODE", this::open),
            new ScriptCommand("cut NODES...", this::cut),
            new ScriptCommand("heal", words -> stage.heal()),
            new ScriptCommand("crash NODES...", this::crash),
            new ScriptCommand("pause NODE TIME", this::pause),
            new ScriptCommand("leave NODE", this::leave),
            new ScriptCommand("hold KIND FROM TO", this::hold),
            new ScriptCommand("hold KIND FROM TO after COUNT", this::hold),
            new ScriptCommand("drop KIND FROM TO", this::drop),
            new ScriptCommand("release", words -> release()),
            new ScriptCommand("advance TIME", this::advance),
            new ScriptCommand("show replicas", words -> showReplicas()),
            new ScriptCommand("show topology", words -> showTopology()),
            new ScriptCommand("show leases", words -> showLeases()));
    shown.removeAll(
        EnumSet.of(
            MessageFamily.AGREEMENT,
            MessageFamily.REPORTS,
            MessageFamily.LEASES,
            MessageFamily.DISCOVERY));
  }

  /**
   * Plays a script from its beginning.
   *
   * @return its text with the outputs of the present code
   * @throws AssertionError naming the line at which it could not go on
   */
  static String play(String text) {
    ProtocolScript script = ProtocolScript.parse(text);
    return new ScriptPlayer(script).play();
  }

  private String play() {
    Throwable thrown =
        stage.runScript(
            same -> {
              for (ProtocolScript.Line line : script.commands()) {
                runLine(line);
              }
            });
    if (thrown != null) {
      throw new AssertionError(thrown.getMessage(), thrown);
    }
    return script.withOutputs(outputs);
  }

  private void runLine(ProtocolScript.Line line) {
    output = new ArrayList<>();
    outputs.add(output);
    try {
      causes = true;
      ScriptCommand.run(commands, line);
      if (causes) {
        awaitQuiet();
      }
    } catch (IllegalArgumentException e) {
      throw new AssertionError(
          "line " + line.number() + ": " + line.command() + ": " + e.getMessage(), e);
    }
    silent = false;
    if (output.size() > MAX_OUTPUT_LINES) {
      throw new AssertionError("line " + line.number() + " produces " + output.size() + " lines");
    }
  }

  private void awaitQuiet() {
    printedNanos = stage.nowNanos();
    long end = printedNanos + MAX_WAIT.toNanos();
    do {
      stage.advanceTime(STEP);
      printStates();
    } while (stage.nowNanos() - printedNanos < QUIET.toNanos() && stage.nowNanos() < end);
  }

  /** Prints a line; the same line several times in a row becomes one. */
  private void print(String line) {
    repeated = line.equals(lastLine) && !output.isEmpty() ? repeated + 1 : 1;
    lastLine = line;
    if (!silent) {
      if (repeated > 1) {
        output.removeLast();
      }
      output.add(repeated > 1 ? line + " (" + repeated + " times)" : line);
    }
    printedNanos = stage.nowNanos();
  }

  private void printStates() {
    states.changes(nodes.values()).forEach(change -> print("* " + change));
  }

  // ------------------------------------------------------------------ messages

  private void onMessage(StageMessage message, MessageEvent event) {
    MessageKind answered = message.answeredKind();
    boolean isReply = message.kind() == MessageKind.RESPONSE;
    if ((isReply && answered == null)
        || !shown.contains(MessageFamily.of(answered == null ? message.kind() : answered))) {
      return;
    }
    printStates();
    Input body =
        new Input(message.body().bytes(), message.body().offset(), message.body().length());
    String caller = message.from().name();
    print(
        caller
            + (event == MessageEvent.LOST || event == MessageEvent.DROPPED ? " -x " : " -> ")
            + message.to().name()
            + "  "
            + texts.describe(message.kind(), answered, body, caller)
            + switch (event) {
              case HELD -> " (held)";
              case RELEASED -> " (at last)";
              case DROPPED, LOST, ARRIVED -> "";
            });
  }

  private void choose(List<String> families) {
    causes = false;
    shown.clear();
    families.forEach(name -> shown.add(MessageFamily.named(name)));
  }

  private void hold(List<String> words) {
    causes = false;
    stage.holdMessages(filter(words));
  }

  private void drop(List<String> words) {
    causes = false;
    stage.dropMessages(filter(words));
  }

  private Predicate<StageMessage> filter(List<String> words) {
    boolean isReply = words.getFirst().endsWith("-reply");
    MessageKind kind = kind(words.getFirst().replace("-reply", ""));
    Predicate<StageNode> isFrom = named(words.get(1));
    Predicate<StageNode> isTo = named(words.get(2));
    int[] left = {words.size() > 3 ? Integer.parseInt(words.get(3)) : 0};
    return message ->
        (isReply ? message.isAnswerTo(kind) : message.isOneOf(kind))
            && isFrom.test(message.from())
            && isTo.test(message.to())
            && --left[0] < 0;
  }

  private static MessageKind kind(String name) {
    return Arrays.stream(MessageKind.values())
        .filter(kind -> kind.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no kind of message is called " + name));
  }

  private static Predicate<StageNode> named(String name) {
    return node -> name.equals("*") || name.equals(node.name());
  }

  private void release() {
    stage.releaseMessages();
  }

  // ------------------------------------------------------------------ nodes

  private void applySettings(List<String> settings) {
    causes = false;
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      String value = parts.length == 2 ? parts[1] : "";
      switch (parts[0]) {
        case "owners" -> config = config.owners(Integer.parseInt(value));
        case "segments" -> config = config.segments(Integer.parseInt(value));
        case "durability" -> config = config.durability(durability(value));
        case "when-cut" -> stage.setWhenCut(whenCut(value));
        default ->
            throw new IllegalArgumentException(
                "no setting is called "
                    + parts[0]
                    + "; they are owners, segments, durability, when-cut");
      }
    }
    stage.setCacheConfig(config);
  }

  private static Durability durability(String value) {
    if (!value.equals("sync")) {
      throw new IllegalArgumentException("durability can be sync, or is left out");
    }
    return Durability.SYNC;
  }

  private static WhenCut whenCut(String value) {
    return switch (value) {
      case "stop" -> WhenCut.stop();
      case "oldest-decides" -> WhenCut.oldestDecides();
      case "available" -> WhenCut.available(MergePolicy.newer());
      default ->
          throw new IllegalArgumentException(
              "when-cut can be stop, oldest-decides or available, not " + value);
    };
  }

  private void foundGrid(List<String> founders) {
    silent = true;
    start(founders);
    settle();
    // The first write of a grid waits until a topology says that the grid is used. This one
    // changes nothing.
    StageNode first = node(founders.getFirst());
    first.call(() -> text(first.cache().remove("nothing")));
    awaitQuiet();
    silent = false;
    showTopology();
  }

  private void start(List<String> started) {
    texts = new MessageText(names, config.segments() > 1);
    stage.setCacheConfig(config);
    int initialMembers = nodes.isEmpty() ? started.size() : NEVER_FOUNDS;
    for (String name : started) {
      StageNode node = stage.startNode(name, initialMembers);
      nodes.put(name, node);
      names.put(node.id(), name);
    }
  }

  private void settle() {
    nodes.values().stream().filter(StageNode::isAlive).forEach(StageNode::awaitJoined);
    stage.awaitSettled();
  }

  private StageNode node(String name) {
    StageNode node = nodes.get(name);
    if (node == null) {
      throw new IllegalArgumentException(
          "no node is called " + name + "; there are " + String.join(" ", nodes.keySet()));
    }
    return node;
  }

  private List<StageNode> nodes(List<String> some) {
    return some.stream().map(this::node).toList();
  }

  private void cut(List<String> words) {
    int arrow = words.indexOf("->");
    int bar = Math.max(arrow, words.indexOf("|"));
    if (bar < 0) {
      throw new IllegalArgumentException("a cut is written a | b c, or one way a -> b c");
    }
    List<StageNode> left = nodes(words.subList(0, bar));
    List<StageNode> right = nodes(words.subList(bar + 1, words.size()));
    stage.cutOneWay(left, right);
    if (arrow < 0) {
      stage.cutOneWay(right, left);
    }
  }

  private void crash(List<String> words) {
    nodes(words).forEach(StageNode::kill);
  }

  private void pause(List<String> words) {
    stage.pause(node(words.getFirst()), time(words.get(1)));
  }

  private void leave(List<String> words) {
    node(words.getFirst()).leave();
  }

  private void advance(List<String> words) {
    long end = stage.nowNanos() + time(words.getFirst()).toNanos();
    while (stage.nowNanos() < end) {
      stage.advanceTime(STEP);
      printStates();
    }
  }

  private static Duration time(String text) {
    if (text.matches("[0-9]+ms")) {
      return Duration.ofMillis(Long.parseLong(text.replace("ms", "")));
    }
    if (text.matches("[0-9]+s")) {
      return Duration.ofSeconds(Long.parseLong(text.replace("s", "")));
    }
    throw new IllegalArgumentException("a time is written 200ms or 3s, not " + text);
  }

  // ------------------------------------------------------------------ calls

  private void call(String what, String name, Function<Cache<String, String>, String> call) {
    StageNode node = node(name);
    if (!node.isSteady()) {
      print(node + ": " + what + " is not possible before it has joined");
      return;
    }
    node.beginCall(
        () -> {
          String result;
          try {
            result = "returned " + call.apply(node.cache());
          } catch (RuntimeException e) {
            result = "failed with " + e.getClass().getSimpleName();
          }
          print(node.name() + ": " + what + " " + result);
          return true;
        });
  }

  private static String text(@Nullable String value) {
    return value == null ? "nothing" : value;
  }

  private void put(List<String> words) {
    String key = words.getFirst();
    call(
        "put " + key + " " + words.get(1),
        words.get(2),
        cache -> text(cache.put(key, words.get(1))));
  }

  private void putFor(List<String> words) {
    String key = words.getFirst();
    Duration time = time(words.get(2));
    call(
        "put " + key + " " + words.get(1),
        words.get(3),
        cache -> text(cache.lifespan(time).put(key, words.get(1))));
  }

  private void putIfAbsent(List<String> words) {
    String key = words.getFirst();
    call("putIfAbsent " + key, words.get(2), cache -> text(cache.putIfAbsent(key, words.get(1))));
  }

  private void append(List<String> words) {
    String key = words.getFirst();
    call(
        "append " + key,
        words.get(2),
        cache -> text(cache.merge(key, words.get(1), (old, added) -> old + added)));
  }

  private void get(List<String> words) {
    String key = words.getFirst();
    call("get " + key, words.get(1), cache -> text(cache.get(key)));
  }

  private void remove(List<String> words) {
    String key = words.getFirst();
    call("remove " + key, words.get(1), cache -> text(cache.remove(key)));
  }

  private void putAll(List<String> words) {
    Map<String, String> entries = new TreeMap<>();
    for (String entry : words.subList(1, words.size())) {
      String[] parts = entry.split("=", 2);
      entries.put(parts[0], parts[parts.length - 1]);
    }
    call(
        "putAll",
        words.getFirst(),
        cache -> {
          cache.putAll(entries);
          return "normally";
        });
  }

  private void getAll(List<String> words) {
    List<String> keys = words.subList(1, words.size());
    call("getAll", words.getFirst(), cache -> new TreeMap<>(cache.getAll(keys)).toString());
  }

  private void destroy(List<String> words) {
    StageNode node = node(words.getFirst());
    call(
        "destroy",
        words.getFirst(),
        cache -> {
          node.node().destroy(cache.name());
          return "normally";
        });
  }

  private void open(List<String> words) {
    StageNode node = node(words.getFirst());
    call(
        "open",
        words.getFirst(),
        cache -> {
          node.openCache(cache.config());
          return "normally";
        });
  }

  private void scan(List<String> words) {
    call(
        "scan",
        words.getFirst(),
        cache -> {
          List<String> found = new ArrayList<>();
          try (CloseableIterator<String> keys =
              cache.keySet().stream().distributedBatchSize(SCAN_BATCH).iterator()) {
            keys.forEachRemaining(found::add);
          }
          Set<String> distinct = new HashSet<>(found);
          return found.size()
              + " keys"
              + (distinct.size() < found.size() ? ", some of them twice" : "");
        });
  }

  private void size(List<String> words) {
    call("size", words.getFirst(), cache -> Long.toString(cache.mappingCount()));
  }

  // ------------------------------------------------------------------ what nodes hold

  private void showTopology() {
    causes = false;
    states.topologies(nodes.values()).forEach(this::print);
  }

  private void showReplicas() {
    causes = false;
    states.replicas(nodes.values()).forEach(this::print);
  }

  private void showLeases() {
    causes = false;
    for (StageNode node : nodes.values()) {
      if (node.isAlive()) {
        print(node + (node.inspection().hasLease() ? " holds a lease" : " holds no lease"));
      }
    }
  }
}
