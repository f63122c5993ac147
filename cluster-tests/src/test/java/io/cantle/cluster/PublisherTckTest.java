package io.cantle.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;

/** Runs the Reactive Streams verification for {@code Flow}, which is made for TestNG. */
final class PublisherTckTest {
  private static final List<Class<?>> VERIFICATIONS =
      List.of(
          PublisherVerification.class,
          PublisherKinds.OfOwners.class,
          PublisherKinds.OfHere.class,
          PublisherKinds.OfPart.class,
          SegmentVerification.class);

  private static final Map<Class<?>, TestListenerAdapter> RESULTS = new HashMap<>();

  /**
   * Runs all of them at once, each on a thread of its own. Most rules wait a while to see that
   * nothing more comes, so one after the other they would take five times as long.
   */
  @BeforeAll
  static void runVerifications(@TempDir Path reports) {
    try (ExecutorService threads = Executors.newFixedThreadPool(VERIFICATIONS.size())) {
      for (Class<?> verification : VERIFICATIONS) {
        TestListenerAdapter results = new TestListenerAdapter();
        RESULTS.put(verification, results);
        TestNG testNg = new TestNG(false);
        testNg.setTestClasses(new Class<?>[] {verification});
        testNg.setOutputDirectory(reports.resolve(verification.getSimpleName()).toString());
        testNg.addListener(results);
        threads.execute(testNg::run);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("VERIFICATIONS")
  void publishersPassTheReactiveStreamsTck(Class<?> verification) {
    TestListenerAdapter results = requireNonNull(RESULTS.get(verification));
    assertThat(results.getFailedTests().stream().map(PublisherTckTest::describe)).isEmpty();
    List<String> skipped =
        results.getSkippedTests().stream()
            .map(ITestResult::getMethod)
            .map(ITestNGMethod::getMethodName)
            .toList();
    assertThat(skipped)
        .allMatch(
            name ->
                name.startsWith("optional_")
                    || name.startsWith("untested_")
                    // Nothing makes this publisher refuse a subscriber; the others are parts that
                    // are already taken.
                    || (verification == SegmentVerification.class
                        && name.startsWith("required_spec109_mayReject")));
    assertThat(results.getPassedTests().size() + skipped.size()).isEqualTo(38);
  }

  private static String describe(ITestResult result) {
    return result.getName() + ": " + result.getThrowable();
  }
}
