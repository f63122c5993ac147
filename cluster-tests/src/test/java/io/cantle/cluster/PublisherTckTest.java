package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;

/** Runs the Reactive Streams verification for {@code Flow}, which is made for TestNG. */
final class PublisherTckTest {

  @ParameterizedTest
  @ValueSource(
      classes = {
        PublisherVerification.class,
        PublisherKinds.OfOwners.class,
        PublisherKinds.OfHere.class,
        PublisherKinds.OfPart.class,
        SegmentVerification.class
      })
  void publishersPassTheReactiveStreamsTck(Class<?> verification, @TempDir Path reports) {
    TestListenerAdapter results = new TestListenerAdapter();
    TestNG testNg = new TestNG(false);
    testNg.setTestClasses(new Class<?>[] {verification});
    testNg.setOutputDirectory(reports.toString());
    testNg.addListener(results);
    testNg.run();
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
