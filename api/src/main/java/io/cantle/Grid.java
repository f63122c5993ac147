package io.cantle;

import io.cantle.spi.GridProvider;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedSet;

/**
 * This process as one node of a grid. Joining is one line; closing leaves the grid once the data
 * held here is safe elsewhere.
 *
 * <pre>{@code
 * try (Grid grid = Grid.join("orders")) {
 *   Cache<String, Integer> stock = grid.cache("stock");
 *   stock.merge("apples", 5, Integer::sum);
 * }
 * }</pre>
 *
 * <p><b>Threading:</b> any thread.
 */
public interface Grid extends AutoCloseable {

  /**
   * Joins the grid of this name on this machine, or founds it. Classes in the caller's package and
   * below it may be stored and sent; others need {@link GridConfig#allowing}.
   *
   * @throws GridException if the network cannot be opened or nobody lets this node in
   */
  static Grid join(String name) {
    return join(GridConfig.named(name), callerOf());
  }

  /**
   * Joins the grid a configuration describes, or founds it. Classes in the caller's package and
   * below it are allowed besides those of the configuration.
   *
   * @throws IllegalStateException if the grid was founded with another {@link GridConfig#whenCut};
   *     the message shows both
   * @throws GridException if the network cannot be opened or nobody lets this node in
   */
  static Grid join(GridConfig config) {
    return join(config, callerOf());
  }

  /** A grid of one node with no network: the same caches, for tests and small tools. */
  static Grid local() {
    Class<?> caller = callerOf();
    return provider()
        .local(GridConfig.named("local").allowing(caller.getPackageName()), loader(caller));
  }

  /** What this node is called; chosen by {@link GridConfig#nodeName()} or made up. */
  String nodeName();

  /** The names of the present members, the longest-standing first. */
  List<String> members();

  /**
   * Whether the grid, as far as this node knows, is whole: every segment has all its copies where
   * they belong, nothing moves, nobody is leaving, and every member counts for a majority. Between
   * taking down one node and the next, wait until a node that stays says so; a crash of {@code
   * owners - 1} nodes loses nothing then. False on a node that is cut off.
   */
  boolean settled();

  /**
   * Opens the cache of this name as the grid knows it, or with the default configuration if it is
   * new.
   *
   * @throws GridException if the grid does not answer in time
   */
  <K, V> Cache<K, V> cache(String name);

  /**
   * Opens the cache of this name, and creates it if it is new.
   *
   * @throws IllegalStateException if the grid has the cache with another configuration; the message
   *     shows both
   * @throws GridException if the grid does not answer in time
   */
  <K, V> Cache<K, V> cache(String name, CacheConfig config);

  /**
   * The segments of a cache that nobody holds who is there, by number from 0: calls that touch them
   * throw {@link SegmentLostException}. Empty where all is well.
   *
   * @throws IllegalArgumentException if the grid has no such cache
   * @throws NotAvailableException if this node is cut off and cannot know
   */
  SortedSet<Integer> lostSegments(String cache);

  /**
   * Gives up what the lost segments of a cache held: they go on empty, and calls that touch them no
   * longer throw {@link SegmentLostException}. A node that comes back later with their entries
   * drops them.
   *
   * @return how many segments were lost
   * @throws IllegalArgumentException if the grid has no such cache
   * @throws GridException if the grid does not answer in time
   */
  int acceptLoss(String cache);

  /**
   * Goes on without members that are gone for good, when those that are left are no majority. Call
   * it on one node that is left, and only when the others are dead: it names those that are given
   * up, by {@link #nodeName}. As many have to be named as are needed for the others to be no
   * majority without this node.
   *
   * <p><b>The price.</b> What only they hold is lost, and so is what they acknowledged or decided
   * without this node: segments that nobody holds who is left throw {@link SegmentLostException}
   * until {@link #acceptLoss}. There is no way back. This node decides alone until others are
   * members again, in a grid with a new id. Who was not given up follows with what it holds; who
   * was given up is refused if it comes back, and may join as a new node without what it held. One
   * that is alive all the same serves no more once it meets this grid; and where two nodes that do
   * not hear each other are both told to go on, there are two grids, of which one refuses when they
   * meet. For nodes that are stopped there is {@code ./cantle recover --store DIR}.
   *
   * <p>Returns when the grid goes on, a little more than a second later: as long as a lease may
   * last that the dead have granted.
   *
   * @param gone the names of the members that are given up
   * @throws IllegalArgumentException if a name is no member's, or too few are named
   * @throws IllegalStateException if this node hears a majority, as it does for 3 s after the last
   *     one is gone; if one that is named is in sight; or in a grid of {@link WhenCut.Available},
   *     whose members go on by themselves
   * @throws CallTimeoutException if it is not done in time; it may be done later
   */
  void recoverVoters(Collection<String> gone);

  /**
   * What this node has counted of acknowledged writes that were lost when the sides of a partition
   * became one again. Always {@link MergeLosses#NONE} unless {@link GridConfig#whenCut} is {@link
   * WhenCut.Available}.
   */
  MergeLosses mergeLosses();

  /** What scans - streams, iterators, publishers - take of this node now, and took at most. */
  ScanFigures scanFigures();

  /**
   * Suspends or resumes the moving of data in the whole grid. While suspended, nodes that join get
   * no segments and are members all the same; a node that leaves still hands over what it has, and
   * a crash still makes backups primaries. Initially not suspended.
   *
   * @throws GridException if the grid does not answer in time
   */
  void suspendRebalancing(boolean suspended);

  /**
   * Whether the moving of data is suspended in the whole grid.
   *
   * @throws NotAvailableException if this node is cut off and cannot know
   */
  boolean rebalancingSuspended();

  /**
   * Leaves: hands over what only this node holds, waits until it is safe elsewhere, and closes
   * everything. Waits at most {@link GridConfig#leaveTimeout()}, and logs why if it has to. The
   * last node of a grid has nobody to hand over to: its data ends with it. Closing twice does
   * nothing.
   */
  @Override
  void close();

  private static Grid join(GridConfig config, Class<?> caller) {
    return provider().join(config.allowing(caller.getPackageName()), loader(caller));
  }

  private static Class<?> callerOf() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .<Class<?>>map(StackWalker.StackFrame::getDeclaringClass)
                    .filter(type -> type != Grid.class)
                    .findFirst()
                    .orElse(Grid.class));
  }

  private static ClassLoader loader(Class<?> caller) {
    ClassLoader loader = caller.getClassLoader();
    return loader == null ? ClassLoader.getSystemClassLoader() : loader;
  }

  private static GridProvider provider() {
    return ServiceLoader.load(GridProvider.class, Grid.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "no grid engine on the class path or module path; depend on io.cantle:cantle"));
  }
}
