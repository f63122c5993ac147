package io.cantle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * This checkout and the baseline, ready to be measured: the same workloads on both class paths, and
 * the same driver wherever it compiles against both.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param cantle this checkout
 * @param baseline the other
 */
record CheckoutPair(CheckoutClassPath cantle, CheckoutClassPath baseline) {

  /**
   * Prepares both.
   *
   * @param root of this checkout
   * @param other root of the baseline, which may be the same
   * @param compiler of the drivers
   * @param folder an empty one for what the class paths need
   * @throws IllegalArgumentException if one is not built or has no driver; the message says what to
   *     do
   */
  static CheckoutPair of(Path root, Path other, DriverCompiler compiler, Path folder)
      throws IOException, InterruptedException {
    BuiltCheckout theirs = BuiltCheckout.of(other);
    BuiltCheckout ours = BuiltCheckout.of(root);
    return new CheckoutPair(
        CheckoutClassPath.of(ours, List.of(ours.driver()), compiler, subfolder(folder, "new")),
        CheckoutClassPath.of(
            theirs, List.of(ours.driver(), theirs.driver()), compiler, subfolder(folder, "old")));
  }

  private static Path subfolder(Path folder, String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  /** Returns the rounds of both. */
  RoundPair rounds(MeasureDurations pace, List<WorkloadMeasure> measures) {
    return new RoundPair(
        new PeerRoundProcess(Product.CANTLE, cantle.text(), pace, measures),
        new PeerRoundProcess(Product.BASELINE, baseline.text(), pace, measures));
  }

  /** Returns what is compared, by name. */
  Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("cantle_commit", cantle.commit());
    values.put("baseline_commit", baseline.commit());
    values.put(
        "baseline_driver",
        baseline.driver().equals(cantle.driver()) ? "of this checkout" : "its own");
    return values;
  }
}
