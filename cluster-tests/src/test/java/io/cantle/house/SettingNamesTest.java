package io.cantle.house;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.GridConfig;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests that each method of the API that a message or a page names exists, such as {@code
 * GridConfig.allowing}: what a user is advised to call can be called.
 */
final class SettingNamesTest {
  private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\\\n]|\\\\.)*\"");
  private static final Pattern QUOTED = Pattern.compile("`[^`\\n]+`");
  private static final Pattern CAMEL_CASE = Pattern.compile("(?<![\\w.])[a-z]+[A-Z]\\w*");
  private static final Set<String> FIELDS =
      fields(GridConfig.class).collect(Collectors.toUnmodifiableSet());
  private static final Pattern NAME = Pattern.compile("(?<![\\w.])([A-Z]\\w+)\\.([a-z]\\w*)");

  @Test
  void everyNamedMethodExists() {
    List<SourceFile> files = Repository.here().textFiles();

    assertThat(files.stream().flatMap(SettingNamesTest::unknownNames)).isEmpty();
    assertThat(files.stream().flatMap(SettingNamesTest::names).distinct().count())
        .as("names found")
        .isGreaterThan(30);
  }

  @Test
  void findsAPlantedName() {
    String name = "GridConfig." + "allow";
    SourceFile code = new SourceFile("core/src/main/java/A.java", "f(\"set " + name + " first\");");
    SourceFile page = new SourceFile("docs/a.md", "Set `" + name + "` first.");

    assertThat(Stream.of(code, page).flatMap(SettingNamesTest::unknownNames))
        .containsExactly(code.path() + ": " + name, page.path() + ": " + name);
  }

  /** A user sets what {@link GridConfig} has a method for, whatever holds the value. */
  @Test
  void noMessageNamesAFieldThatNobodyCanSet() {
    assertThat(Repository.here().textFiles().stream().flatMap(SettingNamesTest::fieldNames))
        .isEmpty();
  }

  @Test
  void findsAPlantedField() {
    String name = "port" + "Range";
    SourceFile code =
        new SourceFile("core/src/main/java/A.java", "f(\"allow more with " + name + "\");");

    assertThat(fieldNames(code)).containsExactly(code.path() + ": " + name);
    assertThat(fieldNames(new SourceFile(code.path(), "int " + name + " = 1;"))).isEmpty();
  }

  /** Returns the fields of configurations that messages of main code name. */
  private static Stream<String> fieldNames(SourceFile file) {
    return !file.isJava() || !file.path().contains("src/main/")
        ? Stream.of()
        : STRING
            .matcher(file.text())
            .results()
            .flatMap(place -> CAMEL_CASE.matcher(place.group()).results())
            .map(MatchResult::group)
            .filter(FIELDS::contains)
            .map(name -> file.path() + ": " + name);
  }

  /** What the configuration consists of, to its innermost groups, without what has a method. */
  private static Stream<String> fields(Class<?> group) {
    return Stream.of(group.getRecordComponents())
        .flatMap(
            component ->
                component.getType().getEnclosingClass() == GridConfig.class
                    ? fields(component.getType())
                    : Stream.of(component.getName()))
        .filter(name -> !exists("GridConfig." + name));
  }

  private static Stream<String> unknownNames(SourceFile file) {
    return names(file).filter(name -> !exists(name)).map(name -> file.path() + ": " + name);
  }

  /** Returns what messages of main code, and the code of pages, name of the API's types. */
  private static Stream<String> names(SourceFile file) {
    Pattern places = file.isPage() ? QUOTED : STRING;
    boolean counts = file.isPage() || (file.isJava() && file.path().contains("src/main/"));
    return !counts || file.path().startsWith("docs/decisions/")
        ? Stream.of()
        : places
            .matcher(file.text())
            .results()
            .flatMap(place -> NAME.matcher(place.group()).results())
            .map(MatchResult::group)
            .filter(name -> apiType(name) != null);
  }

  private static @Nullable Class<?> apiType(String name) {
    try {
      return Class.forName("io.cantle." + name.substring(0, name.indexOf('.')));
    } catch (ClassNotFoundException | NoClassDefFoundError e) {
      return null;
    }
  }

  private static boolean exists(String name) {
    Class<?> type = apiType(name);
    String method = name.substring(name.indexOf('.') + 1);
    return type == null
        || Stream.of(type.getMethods()).map(Method::getName).anyMatch(method::equals);
  }
}
