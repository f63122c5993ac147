package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;

/** Runs the verification of the Reactive Streams for {@code Flow}, which is made for TestNG. */
final class PublisherTckTest {

  @Test
  void publishersKeepTheRulesOfReactiveStreams(@TempDir Path reports) {
    TestListenerAdapter results = new TestListenerAdapter();
    TestNG testNg = new TestNG(false);
    testNg.setTestClasses(new Class<?>[] {PublisherVerification.class});
    testNg.setOutputDirectory(reports.toString());
    testNg.addListener(results);
    testNg.run();
    assertThat(results.getFailedTests().stream().map(PublisherTckTest::told)).isEmpty();
    List<String> skipped =
        results.getSkippedTests().stream()
            .map(ITestResult::getMethod)
            .map(ITestNGMethod::getMethodName)
            .toList();
    assertThat(skipped)
        .allMatch(name -> name.startsWith("optional_") || name.startsWith("untested_"));
    assertThat(results.getPassedTests().size() + skipped.size()).isEqualTo(38);
  }

  private static String told(ITestResult result) {
    return result.getName() + ": " + result.getThrowable();
  }
}
