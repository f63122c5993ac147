package io.cantle.cli.project;

import io.cantle.cli.console.JsonFile;
import io.cantle.cli.console.ProgressPrinter;
import io.cantle.cli.console.UsageException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code new}.
 *
 * <p><b>Threading:</b> the main thread.
 */
@Command(
    name = "new",
    usageHelpWidth = 100,
    sortOptions = false,
    description = {
      "Writes a small Maven project that uses Cantle into a new or an empty folder. First it"
          + " installs the artifacts of this checkout into the local Maven repository, where Maven"
          + " looks for them. Then DIR/run builds the project and starts two processes of it, which"
          + " share a map.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 if the project is there, 1 if the artifacts could not be installed or the"
          + " files not written, 2 if DIR cannot be used."
    })
public final class NewCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream errors;

  @Parameters(paramLabel = "DIR", description = "a folder that is empty, or not there yet")
  private @Nullable Path folder;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "also writes the results to this file")
  private @Nullable Path json;

  // Only picocli reads it.
  @SuppressWarnings("unused")
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "shows this help")
  private boolean help;

  /** Creates a command that prints to stdout and stderr of this process. */
  public NewCommand() {
    this(System.out, System.err);
  }

  NewCommand(PrintStream out, PrintStream errors) {
    this.out = out;
    this.errors = errors;
  }

  @Override
  public Integer call() throws InterruptedException {
    Path named = folder;
    if (named == null) {
      return printFailure("which folder? name one that is empty, or not there yet", ExitCode.USAGE);
    }
    try {
      JsonFile.checkWritable(json);
      ProjectFolder project = ProjectFolder.create(named.toAbsolutePath().normalize());
      Checkout checkout = Checkout.here();
      Map<String, Object> figures = write(checkout, project);
      out.println();
      figures.forEach((name, value) -> out.println(name + ": " + value));
      JsonFile.write(json, figures);
      return ExitCode.OK;
    } catch (UsageException exception) {
      return printFailure(exception.getMessage(), ExitCode.USAGE);
    } catch (IOException exception) {
      return printFailure(exception.getMessage(), ExitCode.SOFTWARE);
    }
  }

  private Map<String, Object> write(Checkout checkout, ProjectFolder project)
      throws IOException, InterruptedException {
    ProgressPrinter progress = new ProgressPrinter(out);
    long began = System.nanoTime();
    progress.printLine("installs  io.cantle:cantle:" + checkout.version() + " for Maven");
    Path repository = checkout.install(progress::printDetail);
    progress.printDetail("into " + repository + " in " + ProgressPrinter.formatElapsed(began));

    List<String> files = project.write(checkout);
    progress.printLine("writes    " + String.join(", ", files));

    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("project", project.root().toString());
    figures.put("files", files.size());
    figures.put("dependency", "io.cantle:cantle:" + checkout.version());
    figures.put("repository", repository.toString());
    figures.put("run", project.root().resolve(ProjectFolder.RUN).toString());
    return figures;
  }

  private int printFailure(@Nullable String what, int status) {
    errors.println("cantle new: " + what);
    return status;
  }
}
