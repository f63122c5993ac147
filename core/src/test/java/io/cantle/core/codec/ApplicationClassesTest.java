package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which classes belong to an application, by where they come from. */
class ApplicationClassesTest {
  @TempDir Path folder;

  /** Finds a class of the test's own class path only if it is in none of the test's places. */
  private static final class RecordingLoader extends URLClassLoader {
    private int loaded;

    RecordingLoader(URL... places) {
      super(places, ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      loaded++;
      return super.findClass(name);
    }
  }

  @Test
  void inAJarAllClassesOfItBelongToTheApplication() throws Exception {
    Path app = jar("app.jar", "com.acme.web.Main", "com.acme.domain.Order", "org.other.Part");
    Path library = jar("lib.jar", "org.lib.Thing", "com.acme.web.Intruder");
    try (RecordingLoader loader = loader(app, library)) {
      ApplicationClasses classes = ApplicationClasses.of(loader.loadClass("com.acme.web.Main"));
      int before = loader.loaded;
      assertThat(classes.contains("com.acme.domain.Order")).isTrue();
      assertThat(classes.contains("org.other.Part")).isTrue();
      assertThat(classes.contains("org.lib.Thing")).isFalse();
      assertThat(classes.contains("com.acme.web.Intruder")).isFalse();
      assertThat(classes.contains("java.lang.Runtime")).isFalse();
      assertThat(classes.contains("com.acme.domain.Missing")).isFalse();
      assertThat(classes.isMissing("com.acme.domain.Missing")).isTrue();
      assertThat(classes.isMissing("org.lib.Thing")).isFalse();
      assertThat(classes.describeOrigin("org.lib.Thing")).isEqualTo("lib.jar");
      assertThat(loader.loaded).as("classes that were loaded to decide").isEqualTo(before);
    }
  }

  @Test
  void inAFolderAllFoldersBelongToTheApplicationAndNoJar() throws Exception {
    Path classes = classFolder("classes", "com.acme.Order");
    Path tests = classFolder("test-classes", "com.acme.test.OrderTest");
    Path library = jar("lib.jar", "org.lib.Thing");
    try (RecordingLoader loader = loader(tests, classes, library)) {
      ApplicationClasses ofTest =
          ApplicationClasses.of(loader.loadClass("com.acme.test.OrderTest"));
      assertThat(ofTest.contains("com.acme.Order")).isTrue();
      assertThat(ofTest.contains("org.lib.Thing")).isFalse();
      assertThat(
              ApplicationClasses.of(loader.loadClass("org.lib.Thing")).contains("com.acme.Order"))
          .isFalse();
    }
  }

  @Test
  void inAJarWithCantleInItNothingIsAllowedByItsPlace() throws Exception {
    Path shaded = jar("shaded.jar", "com.acme.Main", "org.lib.Thing");
    addEngineTo(shaded, "com.acme.Main", "org.lib.Thing");
    try (RecordingLoader loader = loader(shaded)) {
      Class<?> application = loader.loadClass(ApplicationClasses.class.getName());
      Object classes =
          application.getMethod("of", Class.class).invoke(null, loader.loadClass("com.acme.Main"));
      assertThat(classes).isSameAs(application.getField("NONE").get(null));
    }
  }

  @Test
  void inAModuleWithCantleInItNothingIsAllowedByItsPlace() throws Exception {
    Path shaded = jar("shaded.jar");
    addEngineTo(shaded, "com.acme.Main", "org.lib.Thing");
    ClassLoader loader = moduleLoader(Set.of("shaded"), shaded);
    Class<?> main = loader.loadClass("com.acme.Main");
    assertThat(main.getModule().getName()).isEqualTo("shaded");
    Class<?> application = loader.loadClass(ApplicationClasses.class.getName());
    assertThat(application.getModule()).isSameAs(main.getModule());
    Object classes = application.getMethod("of", Class.class).invoke(null, main);
    assertThat(classes).isSameAs(application.getField("NONE").get(null));
  }

  @Test
  void inAModuleItsPackagesBelongToTheApplication() throws Exception {
    Path app = jar("app.jar", "com.acme.web.Main", "com.acme.domain.Order");
    Path library = jar("lib.jar", "org.lib.Thing");
    ClassLoader loader = moduleLoader(Set.of("app", "lib"), app, library);
    Class<?> main = loader.loadClass("com.acme.web.Main");
    assertThat(main.getModule().isNamed()).isTrue();
    ApplicationClasses classes = ApplicationClasses.of(main);
    assertThat(classes.contains("com.acme.domain.Order")).isTrue();
    assertThat(classes.contains("org.lib.Thing")).isFalse();
    assertThat(classes.contains("com.acme.web.Main\n")).isFalse();
    assertThat(classes.contains("com.acme.web.Main:stream")).isFalse();
  }

  private static ClassLoader moduleLoader(Set<String> modules, Path... jars) {
    ModuleLayer boot = ModuleLayer.boot();
    Configuration configuration =
        boot.configuration().resolve(ModuleFinder.of(jars), ModuleFinder.of(), modules);
    return boot.defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader())
        .findLoader(modules.iterator().next());
  }

  @Test
  void classOfTheJdkStandsForNoApplication() {
    assertThat(ApplicationClasses.of(Object.class)).isSameAs(ApplicationClasses.NONE);
    assertThat(ApplicationClasses.of(java.util.logging.Logger.class))
        .isSameAs(ApplicationClasses.NONE);
    assertThat(ApplicationClasses.of(null)).isSameAs(ApplicationClasses.NONE);
  }

  @Test
  void namesThatNoClassFileHasAreRefused() throws Exception {
    Path classes = classFolder("app/classes", "com.acme.Main");
    classFolder("app", "Secret");
    try (RecordingLoader loader = loader(classes)) {
      ApplicationClasses application = ApplicationClasses.of(loader.loadClass("com.acme.Main"));
      for (String name :
          List.of(
              "../Secret",
              "com/acme/Main",
              "com..acme.Main",
              ".com.acme.Main",
              "com.acme.Main.",
              "",
              "com.acme.Main;",
              "com.acme.%4dain",
              "com.acme.\u0000",
              "com.acme.\ud800",
              "com.acme.\u202eMain",
              "com.acme.*",
              "com.acme.Main]",
              "x".repeat(70_000))) {
        assertThat(application.contains(name)).as(name).isFalse();
        assertThat(application.isMissing(name)).as(name).isFalse();
      }
      for (int i = 0; i < 10 * ApplicationClasses.MAX_REFUSED; i++) {
        assertThat(application.contains("com.acme.Guess" + i)).isFalse();
      }
      assertThat(application.rememberedCount()).isLessThan(2 * ApplicationClasses.MAX_REFUSED);
      assertThat(application.contains("com.acme.Main")).isTrue();
    }
  }

  /** Takes a file by any spelling of its name, as some file systems do. */
  private static final class CaseBlindLoader extends URLClassLoader {
    private final URL place;

    CaseBlindLoader(URL place) {
      super(new URL[] {place}, ClassLoader.getPlatformClassLoader());
      this.place = place;
    }

    @Override
    public URL getResource(String name) {
      try {
        return place.toURI().resolve(name).toURL();
      } catch (URISyntaxException | MalformedURLException e) {
        throw new IllegalArgumentException(name, e);
      }
    }
  }

  @Test
  void oneFileWithManyNamesIsNotRememberedByAllOfThem() throws Exception {
    Path classes = classFolder("classes", "application.Main");
    try (CaseBlindLoader loader = new CaseBlindLoader(url(classes))) {
      ApplicationClasses application = ApplicationClasses.of(loader.loadClass("application.Main"));
      for (int i = 0; i < 2 * ApplicationClasses.MAX_BELONGING; i++) {
        assertThat(application.contains(spelling("applicationverylong.Main", i))).isTrue();
      }
      assertThat(application.rememberedCount()).isEqualTo(ApplicationClasses.MAX_BELONGING);
    }
  }

  /** The name with those letters in upper case whose bit is set in a number. */
  private static String spelling(String name, int number) {
    StringBuilder text = new StringBuilder(name);
    for (int i = 0; i < Integer.SIZE && i < text.length(); i++) {
      if ((number & (1 << i)) != 0) {
        text.setCharAt(i, Character.toUpperCase(text.charAt(i)));
      }
    }
    return text.toString();
  }

  @Test
  void classesOfTheGridAreNeverTheApplications() {
    ApplicationClasses here = ApplicationClasses.of(ApplicationClassesTest.class);
    assertThat(here.contains("io.cantle.core.codec.Codec")).isFalse();
    assertThat(here.contains("io.cantle.GridConfig")).isFalse();
  }

  // ------------------------------------------------------------------ places with classes

  private static RecordingLoader loader(Path... places) {
    return new RecordingLoader(
        Stream.of(places).map(ApplicationClassesTest::url).toArray(URL[]::new));
  }

  private static URL url(Path place) {
    try {
      return place.toUri().toURL();
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] emptyClass(String name) {
    return ClassFile.of().build(ClassDesc.of(name), type -> type.withFlags(ClassFile.ACC_PUBLIC));
  }

  private static String fileOf(String className) {
    return className.replace('.', '/') + ".class";
  }

  private Path classFolder(String name, String... classes) throws IOException {
    Path root = Files.createDirectories(folder.resolve(name));
    for (String type : classes) {
      Path file = root.resolve(fileOf(type));
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.write(file, emptyClass(type));
    }
    return root;
  }

  private Path jar(String name, String... classes) throws IOException {
    Path file = folder.resolve(name);
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out)) {
      for (String type : classes) {
        jar.putNextEntry(new JarEntry(fileOf(type)));
        jar.write(emptyClass(type));
      }
    }
    return file;
  }

  /** Writes the jar anew, with what this rule consists of too. */
  private static void addEngineTo(Path file, String... classes) throws IOException {
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out)) {
      for (String type : classes) {
        jar.putNextEntry(new JarEntry(fileOf(type)));
        jar.write(emptyClass(type));
      }
      for (Class<?> type :
          List.of(ApplicationClasses.class, io.cantle.core.base.GridPackages.class)) {
        jar.putNextEntry(new JarEntry(fileOf(type.getName())));
        String simple = type.getName().substring(type.getPackageName().length() + 1) + ".class";
        try (@Nullable InputStream in = type.getResourceAsStream(simple)) {
          jar.write(Objects.requireNonNull(in).readAllBytes());
        }
      }
    }
  }
}
