package io.cantle.core.codec;

import io.cantle.function.SerializableSupplier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.attribute.NestHostAttribute;
import java.lang.classfile.attribute.SourceFileAttribute;
import java.lang.reflect.Method;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Loads a class as if it had been compiled without debug information. */
final class StrippedLoader extends ClassLoader {
  private final byte[] bytes;
  private final boolean withFile;
  private int asked;

  /** Creates a function. */
  static final class Stripped {
    private Stripped() {}

    @SuppressWarnings("UnusedMethod") // By reflection.
    static SerializableSupplier<String> supplier(Thread thread) {
      int number = 1;
      return () -> number + thread.getName();
    }
  }

  /** Creates a loader that can return the class file afterwards, or not. */
  StrippedLoader(boolean withFile) throws IOException {
    super(StrippedLoader.class.getClassLoader());
    this.withFile = withFile;
    ClassFile plain =
        ClassFile.of(
            ClassFile.DebugElementsOption.DROP_DEBUG,
            ClassFile.LineNumbersOption.DROP_LINE_NUMBERS);
    try (InputStream in = Stripped.class.getResourceAsStream("StrippedLoader$Stripped.class")) {
      bytes =
          plain.transformClass(
              plain.parse(Objects.requireNonNull(in).readAllBytes()),
              ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
                  .andThen(ClassTransform.dropping(StrippedLoader::isUnwanted)));
    }
  }

  private static boolean isUnwanted(ClassElement element) {
    return element instanceof SourceFileAttribute || element instanceof NestHostAttribute;
  }

  /** How many times a file was requested. */
  int asked() {
    return asked;
  }

  /** Returns a function that captures a number and a thread. */
  Object function() throws ReflectiveOperationException {
    Class<?> type = defineClass(Stripped.class.getName(), bytes, 0, bytes.length);
    Method method = type.getDeclaredMethod("supplier", Thread.class);
    method.setAccessible(true);
    return Objects.requireNonNull(method.invoke(null, Thread.currentThread()));
  }

  @Override
  public @Nullable InputStream getResourceAsStream(String name) {
    asked++;
    return withFile ? new ByteArrayInputStream(bytes) : null;
  }
}
