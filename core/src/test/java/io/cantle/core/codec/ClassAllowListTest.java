package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClassAllowListTest {
  private final ClassAllowList list = ClassAllowList.of(List.of("com.acme", "org.example.orders"));

  @Test
  void allowsNamedPackagesAndWhatIsBelow() {
    assertThat(list.allowsName("com.acme.Order")).isTrue();
    assertThat(list.allowsName("com.acme.Order$Line")).isTrue();
    assertThat(list.allowsName("com.acme.deep.down.Order")).isTrue();
    assertThat(list.allowsName("org.example.orders.Order")).isTrue();
  }

  @Test
  void refusesNeighboursAndParents() {
    assertThat(list.allowsName("com.acmeevil.Order")).isFalse();
    assertThat(list.allowsName("com.Order")).isFalse();
    assertThat(list.allowsName("org.example.Order")).isFalse();
    assertThat(list.allowsName("Order")).isFalse();
    assertThat(list.allowsName("com.acme")).isFalse();
  }

  @Test
  void allowsValueTypesOfTheJdkAndNoOthers() {
    for (String name :
        List.of(
            "java.lang.String",
            "java.util.UUID",
            "java.time.Instant",
            "java.util.HashMap",
            "int")) {
      assertThat(list.allowsName(name)).as(name).isTrue();
    }
    for (String name :
        List.of(
            "java.lang.Runtime",
            "java.lang.ProcessBuilder",
            "java.lang.Thread",
            "java.util.ServiceLoader",
            "java.util.Timer",
            "java.net.URL",
            "java.io.File",
            "javax.naming.InitialContext",
            "jdk.internal.misc.Unsafe",
            "sun.misc.Unsafe",
            "java.time.acme.Order")) {
      assertThat(list.allowsName(name)).as(name).isFalse();
    }
  }

  @Test
  void broadPackageDoesNotAllowTheJdk() {
    ClassAllowList wide = ClassAllowList.of(List.of("com"));
    assertThat(wide.allowsName("com.acme.Order")).isTrue();
    assertThat(wide.allowsName("com.sun.rowset.JdbcRowSetImpl")).isFalse();
  }

  @Test
  void checksArraysByTheirElementType() {
    assertThat(list.allows(int[][].class)).isTrue();
    assertThat(list.allows(String[].class)).isTrue();
    assertThat(list.allows(Runtime[].class)).isFalse();
    assertThat(list.allowsName("[[Lcom.acme.Order;")).isTrue();
    assertThat(list.allowsName("[Lcom.other.Order;")).isFalse();
    assertThat(list.allowsName("[com.acme.Order")).isFalse();
    assertThat(list.allowsName("[")).isFalse();
    assertThat(list.allowsName("[X")).isFalse();
  }

  @Test
  void neverAllowsProxies() {
    Object proxy =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Hidden.class},
            (self, method, arguments) -> null);
    assertThat(proxy.getClass().getName()).startsWith("io.cantle.core.codec");
    assertThat(ClassAllowList.of(List.of("io.cantle")).allows(proxy.getClass())).isFalse();
  }

  @Test
  void onlyTheNameOfAProxyIsTakenForOne() {
    for (String proxy : List.of("com.acme.$Proxy7", "[Lcom.acme.$Proxy12;")) {
      assertThat(list.allowsName(proxy)).as(proxy).isFalse();
      assertThat(ClassRefusal.message(list, "object", proxy))
          .isEqualTo("dynamic proxy " + proxy + " is not allowed: no setting allows one");
    }
    for (String type : List.of("Outer$ProxySettings", "Outer$Proxy", "Outer$Proxy7", "$Proxy7x")) {
      assertThat(list.allowsName("com.acme." + type)).as(type).isTrue();
      assertThat(ClassRefusal.message(list, "object", "com.other." + type))
          .contains("add its package \"com.other\" to GridConfig.allowing");
    }
  }

  @Test
  void theEmptyNameStandsForClassesWithoutPackage() {
    ClassAllowList unnamed = ClassAllowList.of(List.of(""));
    assertThat(unnamed.allowsName("Order")).isTrue();
    assertThat(unnamed.allowsName("com.acme.Order")).isFalse();
  }

  @Test
  void refusesJdkPackagesAndInvalidNames() {
    for (String name : List.of("java", "java.lang", "sun.misc", "jdk.internal", "com.sun")) {
      assertThatThrownBy(() -> ClassAllowList.of(List.of(name)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + name + "'")
          .hasMessageContaining("GridConfig.allowing");
    }
    for (String name : List.of("com..acme", "com.acme.", "com.acme.*", "com/acme", " ")) {
      assertThatThrownBy(() -> ClassAllowList.of(List.of(name)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + name + "'");
    }
  }

  interface Hidden {}
}
