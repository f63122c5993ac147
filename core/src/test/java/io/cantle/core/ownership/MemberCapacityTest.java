package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MemberCapacityTest {
  @ParameterizedTest
  @ValueSource(doubles = {0, 1e-6, 0.5, 1, 3.7, 1_000})
  void roundTrips(double capacity) {
    MemberCapacity memberCapacity = MemberCapacity.of(capacity, "süd");
    assertThat(memberCapacity.capacity()).isEqualTo(capacity);
    assertThat(memberCapacity.mayOwnSegments()).isEqualTo(capacity > 0);
    Output out = new Output(8);
    memberCapacity.write(out);
    assertThat(MemberCapacity.read(new Input(out.toByteArray()))).isEqualTo(memberCapacity);
  }

  @Test
  void tinyCapacityIsNotZero() {
    assertThat(MemberCapacity.of(Double.MIN_VALUE, "")).isEqualTo(new MemberCapacity(1, ""));
  }

  @Test
  void refusesInvalidValues() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MemberCapacity(-1, ""))
        .withMessageContaining("-1 millionths");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemberCapacity.of(1, "ü".repeat(33)))
        .withMessageContaining("66");
    Output out = new Output(8);
    out.writeVarint(1);
    out.writeString("x".repeat(65));
    Input in = new Input(out.toByteArray());
    assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> MemberCapacity.read(in));
    Output large = new Output(8);
    large.writeVarint(1_000_000_001);
    large.writeString("");
    Input tooLarge = new Input(large.toByteArray());
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> MemberCapacity.read(tooLarge));
  }
}
