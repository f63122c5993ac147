package io.cantle.core.codec;

import io.cantle.NamedFunctions;
import io.cantle.TypeCodec;
import io.cantle.TypeCodecs;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

/** A codec made of lambdas, for tests. */
record LambdaCodec<T>(String name, Class<T> type, WriteFunction<T> writing, ReadFunction<T> reading)
    implements TypeCodec<T> {

  interface WriteFunction<T> {
    void write(T value, DataOutput out) throws IOException;
  }

  interface ReadFunction<T> {
    T read(DataInput in) throws IOException;
  }

  /** A class that cannot be encoded without a codec in any cache, because it holds a thread. */
  static final class Money {
    final long cents;
    final Thread maker = Thread.currentThread();

    Money(long cents) {
      this.cents = cents;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Money money && money.cents == cents;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(cents);
    }

    @Override
    public String toString() {
      return cents + " by " + maker.getName();
    }
  }

  static final LambdaCodec<Money> MONEY =
      new LambdaCodec<>(
          "money",
          Money.class,
          (money, out) -> {
            out.writeByte(1);
            out.writeLong(money.cents);
          },
          in -> {
            if (in.readByte() != 1) {
              throw new IOException("another version of money");
            }
            return new Money(in.readLong());
          });

  /** Returns a codec of this class that reads and writes with these functions. */
  static LambdaCodec<Money> money(WriteFunction<Money> writing, ReadFunction<Money> reading) {
    return new LambdaCodec<>("money", Money.class, writing, reading);
  }

  /** Returns the codec of a node with these type codecs and allowed packages. */
  static Codec codec(String nodeName, List<String> allowed, TypeCodecs codecs) {
    return new Codec(
        ClassAllowList.of(allowed),
        LambdaCodec.class.getClassLoader(),
        NamedFunctions.NONE,
        codecs,
        nodeName);
  }

  static TypeCodecs all(TypeCodec<?>... codecs) {
    TypeCodecs all = TypeCodecs.NONE;
    for (TypeCodec<?> codec : codecs) {
      all = all.with(codec);
    }
    return all;
  }

  @Override
  public void write(T value, DataOutput out) throws IOException {
    writing.write(value, out);
  }

  @Override
  public T read(DataInput in) throws IOException {
    return reading.read(in);
  }
}
