package io.cantle.cluster;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import com.google.common.collect.testing.testers.MapToStringTester;
import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.Grid;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cache is a {@code ConcurrentMap}, as Guava's suite for implementers understands it. The suite
 * is written for JUnit 3; each of its tests is a dynamic test here.
 *
 * <p>What a cache refuses on purpose: null keys and values, also in queries, as {@code
 * ConcurrentHashMap} does. And {@code toString} names the cache and its configuration: it does not
 * fetch the entries of a whole grid for a line of a log.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ConcurrentMapSuiteTest {
  /** Few, since most calls of the suite visit all segments of a map of three entries. */
  private static final int SEGMENTS = 4;

  private static final CacheConfig DISTRIBUTED = CacheConfig.distributed().segments(SEGMENTS);

  private TestGrid alone = new TestGrid(0);
  private TestGrid three = new TestGrid(0);

  @BeforeAll
  void join(@TempDir Path store) {
    alone = new TestGrid(1);
    alone.join(config -> config.store(store));
    three = TestGrid.ofSize(3);
  }

  @AfterAll
  void close() {
    alone.close();
    three.close();
  }

  @TestFactory
  Stream<DynamicNode> localCache() {
    return suiteOf(alone.nodes(), "local", CacheConfig.local().segments(SEGMENTS));
  }

  @TestFactory
  Stream<DynamicNode> distributedCacheOnOneNode() {
    return suiteOf(alone.nodes(), "distributed", DISTRIBUTED);
  }

  @TestFactory
  Stream<DynamicNode> replicatedCacheOnOneNode() {
    return suiteOf(alone.nodes(), "replicated", CacheConfig.replicated().segments(SEGMENTS));
  }

  @TestFactory
  Stream<DynamicNode> distributedCacheWithAStoreThatSyncs() {
    return suiteOf(alone.nodes(), "stored", DISTRIBUTED.durability(Durability.SYNC));
  }

  @TestFactory
  Stream<DynamicNode> distributedCacheOnThreeNodes() {
    return suiteOf(three.nodes(), "spread", DISTRIBUTED);
  }

  @TestFactory
  Stream<DynamicNode> scatteredCacheOnOneNode() {
    return suiteOf(alone.nodes(), "scattered", CacheConfig.scattered().segments(SEGMENTS));
  }

  @TestFactory
  Stream<DynamicNode> scatteredCacheOnThreeNodes() {
    return suiteOf(three.nodes(), "scattered", CacheConfig.scattered().segments(SEGMENTS));
  }

  private static Stream<DynamicNode> suiteOf(List<Grid> nodes, String name, CacheConfig config) {
    TestSuite suite =
        ConcurrentMapTestSuiteBuilder.using(new CacheMapGenerator(nodes, name, config))
            .named(name)
            .withFeatures(
                MapFeature.GENERAL_PURPOSE,
                CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                CollectionSize.ANY)
            .suppressing(testsOf(MapToStringTester.class))
            .createTestSuite();
    return Stream.of(nodeOf(suite));
  }

  private static List<Method> testsOf(Class<?> tester) {
    return Arrays.stream(tester.getMethods())
        .filter(method -> method.getName().startsWith("test"))
        .toList();
  }

  @SuppressWarnings("JdkObsolete") // The suite is made for JUnit 3.
  private static DynamicNode nodeOf(Test test) {
    return switch (test) {
      case TestSuite suite ->
          dynamicContainer(
              suite.getName(),
              Collections.list(suite.tests()).stream().map(ConcurrentMapSuiteTest::nodeOf));
      case TestCase one -> dynamicTest(one.getName(), one::runBare);
      default -> throw new IllegalStateException("neither a test nor a suite: " + test);
    };
  }
}
