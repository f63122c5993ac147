package io.cantle.races;

/**
 * What a tool found in the races of a container.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param output what the tool printed
 */
record RaceResult(Verdict verdict, String output) {
  /** Whether something was found. */
  enum Verdict {
    /** Nothing was found. */
    CLEAN("nothing found"),
    /** A race with a wrong result was found. */
    FOUND("found"),
    /** The tool did not run to its end, so nothing is known. */
    BROKEN("did not run to its end");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    /** It in words. */
    String text() {
      return text;
    }
  }
}
