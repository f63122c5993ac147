package io.cantle;

import io.cantle.spi.GridProvider;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.SortedSet;
import java.util.function.Consumer;

/**
 * A node of a grid, in this process. Joining is one line; closing leaves the grid once the data
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
   * Joins the grid of this name on this machine, or founds it. The classes of the application may
   * be stored and sent: those of the module of the caller, or on the class path those of its jar or
   * of all folders (see {@link GridConfig.SerializationSettings#application}). Classes of libraries
   * need {@link GridConfig#allowing}.
   *
   * @throws GridException if the network cannot be opened or no grid admits this node
   */
  static Grid join(String name) {
    Objects.requireNonNull(name, "name");
    return join(GridConfig.named(name), callerOf());
  }

  /**
   * Joins the grid that a configuration describes, or founds it. The classes of the application are
   * allowed, besides those of the configuration.
   *
   * @throws IllegalStateException if the grid was founded with another {@link GridConfig#whenCut};
   *     the message shows both
   * @throws GridException if the network cannot be opened or no grid admits this node
   */
  static Grid join(GridConfig config) {
    Objects.requireNonNull(config, "config");
    return join(config, callerOf());
  }

  /**
   * Starts a grid of one node without a network. It offers the same caches, for tests and small
   * tools.
   */
  static Grid local() {
    GridConfig config = allowApplication(GridConfig.named("local"), callerOf());
    return provider().local(config, loader(config));
  }

  /** The name of this node: {@link GridConfig#nodeName()}, or a generated one. */
  String nodeName();

  /** The names of the present members; the member of longest standing comes first. */
  List<String> members();

  /**
   * Has a listener called with each change of the members from now on, and when this node loses the
   * majority or reaches it again. It is called in the order of the events, once with each, on a
   * virtual thread of its own. It may wait, and may use the grid; no other listener and no call
   * waits for it.
   *
   * <p>Up to 1,024 events wait for a slow listener. Those that find no room are dropped, which is
   * logged, and the listener is told how many by {@link MembershipEvent.EventsMissed}. An exception
   * of a listener is logged, and it gets the next event. No event arrives once the grid is closed.
   *
   * @return ends this when it is closed
   * @throws IllegalStateException if this node is closed
   */
  ListenerRegistration onMembership(Consumer<? super MembershipEvent> listener);

  /**
   * Whether the grid is whole, as far as this node knows: every segment has all its replicas where
   * they belong, nothing moves, no node is leaving, and every member that is to be a voter is one.
   * (Voters are the members whose majority decides.) When taking nodes down one by one, wait before
   * each until a node that stays answers true; then a crash of {@code owners - 1} nodes loses
   * nothing. A node that is cut off answers false.
   */
  boolean settled();

  /**
   * Opens the cache of this name with the configuration the grid has for it. If the grid has none,
   * it opens the one of this node ({@link CacheMode#LOCAL}), also one on disk from before a
   * restart. If the cache is new, it has the default configuration.
   *
   * @param name 1 to 200 characters; not blank, no control characters
   * @throws GridException if the grid does not answer in time
   */
  <K, V> Cache<K, V> cache(String name);

  /**
   * Opens the cache of this name, and creates it if it is new.
   *
   * @param name as for {@link #cache(String)}
   * @throws IllegalStateException if the grid has the cache with another configuration; the message
   *     shows both
   * @throws GridException if the grid does not answer in time
   */
  <K, V> Cache<K, V> cache(String name, CacheConfig config);

  /**
   * The names of the grid's caches and of this node's own ones ({@link CacheMode#LOCAL}), sorted. A
   * cache that another node has just created may not be among them yet.
   *
   * @throws NotAvailableException if this node is cut off and cannot know
   */
  SortedSet<String> cacheNames();

  /**
   * Destroys a cache: removes it and all its entries from the whole grid, in memory and on disk. If
   * the grid has no cache of this name, but this node has one of its own ({@link CacheMode#LOCAL}),
   * that one is destroyed.
   *
   * <p>When this returns, no member has any of its entries left. A node that was away keeps its
   * files until it is back, and then drops them before it serves. {@link Cache}s that were opened
   * before throw {@link CacheDestroyedException}, and calls in progress end with it. A cache of the
   * same name that is opened later, with whatever configuration, is another one and begins empty. A
   * call that opens it meanwhile waits.
   *
   * @throws IllegalArgumentException if neither the grid nor this node has such a cache, as far as
   *     this node knows
   * @throws NotAvailableException if this node is cut off; nothing was destroyed
   * @throws CallTimeoutException if some member did not answer in time; the cache may be destroyed
   *     later, or already be
   */
  void destroy(String cache);

  /**
   * The lost segments of a cache, numbered from 0: segments that no present node holds. Calls that
   * touch them throw {@link SegmentLostException}. Empty if nothing is lost.
   *
   * @throws IllegalArgumentException if the grid has no such cache
   * @throws NotAvailableException if this node is cut off and cannot know
   */
  SortedSet<Integer> lostSegments(String cache);

  /**
   * Gives up the entries of a cache's lost segments. The segments go on empty, and calls that touch
   * them no longer throw {@link SegmentLostException}. A node that returns later with their entries
   * drops them.
   *
   * @return how many segments were lost
   * @throws IllegalArgumentException if the grid has no such cache
   * @throws GridException if the grid does not answer in time
   */
  int acceptLoss(String cache);

  /**
   * Goes on without members that are gone for good, when the remaining ones are no majority. Call
   * it on one remaining node, with the {@link #nodeName names} of the members to give up, and only
   * when these are dead. Name enough of them that the members not named, without this node, are no
   * majority.
   *
   * <p><b>The price.</b> What only the given-up members hold is lost, and so is what they
   * acknowledged or decided without this node. Segments that no remaining node holds throw {@link
   * SegmentLostException} until {@link #acceptLoss}. There is no way back. This node decides alone,
   * in a grid with a new id, until others are members again. A node that was not given up follows
   * with what it holds. A given-up node that returns is refused; it may join as a new node, without
   * what it held. A given-up node that is alive after all stops serving once it meets this grid. If
   * two nodes that do not hear each other are both told to go on, there are two grids; one of them
   * refuses to serve when they meet. For stopped nodes use {@code ./cantle recover --store DIR}.
   *
   * <p>Returns when the grid goes on, a little more than a second later: the dead may have granted
   * a lease, and it has to end first.
   *
   * @param gone the names of the members to give up
   * @throws IllegalArgumentException if a name is no member's, or too few are named
   * @throws IllegalStateException if this node hears a majority, as it does for 3 s after the last
   *     one is gone; if it sees a named member; or in a grid of {@link WhenCut.Available}, whose
   *     members go on by themselves
   * @throws CallTimeoutException if it is not done in time; it may still be done later
   */
  void recoverVoters(Collection<String> gone);

  /**
   * Counts, on this node, the acknowledged writes that were lost when the sides of a partition were
   * merged. Always {@link MergeLosses#NONE} unless {@link GridConfig#whenCut} is {@link
   * WhenCut.Available}.
   */
  MergeLosses mergeLosses();

  /** What scans (streams, iterators, publishers) take of this node now, and the most they took. */
  ScanFigures scanFigures();

  /**
   * How full the heap of this node is, and which other members have full heaps. A node whose heap
   * is nearly full refuses writes that need memory, with a {@link CacheFullException}; so do the
   * primaries of segments of which it holds a copy. Reads and removals go on, and writes do once
   * there is room again.
   */
  HeapFigures heapFigures();

  /**
   * Suspends or resumes rebalancing in the whole grid. While it is suspended, joining nodes become
   * members but get no segments. A leaving node still hands over what it has, and a crash still
   * makes backups primaries. Initially not suspended.
   *
   * @throws GridException if the grid does not answer in time
   */
  void suspendRebalancing(boolean suspended);

  /**
   * Whether rebalancing is suspended in the whole grid.
   *
   * @throws NotAvailableException if this node is cut off and cannot know
   */
  boolean rebalancingSuspended();

  /**
   * Leaves the grid: hands over what only this node holds, waits until it is safe elsewhere, and
   * closes everything. Waits at most {@link GridConfig#leaveTimeout}, and logs the reason if it has
   * to wait. The last node of a grid has no node to hand over to, so its data ends with it. Closing
   * twice does nothing. A node that {@linkplain #join(GridConfig) joined} is closed when the JVM is
   * told to end, unless {@link GridConfig#shutdownHook} says otherwise.
   *
   * <p>From the moment of this call on, every other call on this node, and every iterator, stream
   * and subscription that is open, throws an {@link IllegalStateException} that says that the node
   * is closed. A write that is in flight may end with {@link IndeterminateException}.
   */
  @Override
  void close();

  private static Grid join(GridConfig config, Class<?> caller) {
    GridConfig complete = allowApplication(config, caller);
    return provider().join(complete, loader(complete));
  }

  /** Allows the classes of the application, which is the caller's unless another one is set. */
  private static GridConfig allowApplication(GridConfig config, Class<?> caller) {
    Class<?> set = config.serialization().application();
    Class<?> application = set == null ? caller : set;
    GridConfig complete = config.application(application);
    // A class of the JDK stands for no application, and its package cannot be allowed.
    return isPlatform(application) ? complete : complete.allowing(application.getPackageName());
  }

  private static boolean isPlatform(Class<?> type) {
    ClassLoader loader = type.getClassLoader();
    return loader == null || loader.equals(ClassLoader.getPlatformClassLoader());
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

  /** The loader that finds the classes of stored objects and lambdas. */
  private static ClassLoader loader(GridConfig config) {
    Class<?> application = config.serialization().application();
    return application == null || isPlatform(application)
        ? ClassLoader.getSystemClassLoader()
        : application.getClassLoader();
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
