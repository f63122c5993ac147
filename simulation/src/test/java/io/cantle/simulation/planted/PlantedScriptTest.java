package io.cantle.simulation.planted;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Protocol scripts can fail: a bug in the core changes what they print. */
final class PlantedScriptTest {
  private static final String PLAYER = "io.cantle.simulation.script.ScriptPlayer";

  @ParameterizedTest
  @CsvSource({
    "no-dedup, 02-retried-command, 'c: append k returned one,two,two'",
    "dirty-read-at-primary, 01-write, 'c: get k returned v2'"
  })
  void plantedBugChangesAScript(String bug, String script, String shown, @TempDir Path folder)
      throws Exception {
    SourceCompiler.compileInto(
        SourceTree.findRoot().sourcesWith(PlantedBugCatalog.find(bug)), folder);
    String text = read(script);
    String played = play(text, folder);
    assertThat(played).isNotEqualTo(text).contains(shown);
    assertThat(played.lines().filter(line -> !line.startsWith("  ")))
        .containsExactlyElementsOf(text.lines().filter(line -> !line.startsWith("  ")).toList());
  }

  @Test
  void withoutABugTheSameWayOfPlayingChangesNothing(@TempDir Path folder) throws Exception {
    String text = read("01-write");
    assertThat(play(text, folder)).isEqualTo(text);
  }

  private static String read(String script) throws IOException {
    return Files.readString(Path.of("src", "test", "protocol", script + ".txt"));
  }

  private static String play(String text, Path changedClasses) throws Exception {
    Method play =
        new ChangedClassLoader(changedClasses)
            .loadClass(PLAYER)
            .getDeclaredMethod("play", String.class);
    play.setAccessible(true);
    return (String) play.invoke(null, text);
  }

  /** Loads all classes of Cantle anew, those that were changed from a folder. */
  private static final class ChangedClassLoader extends ClassLoader {
    private final Path folder;

    ChangedClassLoader(Path folder) {
      super(PlantedScriptTest.class.getClassLoader());
      this.folder = folder;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        if (known != null || !name.startsWith("io.cantle.")) {
          return known != null ? known : super.loadClass(name, resolve);
        }
        byte[] bytes = bytesOf(name.replace('.', '/') + ".class");
        return defineClass(name, bytes, 0, bytes.length);
      }
    }

    private byte[] bytesOf(String file) throws ClassNotFoundException {
      Path changed = folder.resolve(file);
      try (InputStream found =
          Files.exists(changed)
              ? Files.newInputStream(changed)
              : getParent().getResourceAsStream(file)) {
        if (found == null) {
          throw new ClassNotFoundException(file);
        }
        return found.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(file, e);
      }
    }
  }
}
