import org.jspecify.annotations.NullMarked;

/** The command line of Cantle: new, demo, drain, log and recover. */
@NullMarked
module io.cantle.cli {
  requires info.picocli;
  requires io.cantle.core;
  requires io.cantle.embedded;
  requires io.cantle.store;
  requires java.management;
  requires jdk.management;
  requires static org.jspecify;

  opens io.cantle.cli to
      info.picocli;
  opens io.cantle.cli.drain to
      info.picocli;
  opens io.cantle.cli.log to
      info.picocli;
  opens io.cantle.cli.project to
      info.picocli;
  opens io.cantle.cli.recover to
      info.picocli;
  // The grid encodes records by the names of their components.
  opens io.cantle.cli.demo to
      info.picocli,
      io.cantle.core;
}
