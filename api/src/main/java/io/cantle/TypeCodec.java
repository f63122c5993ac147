package io.cantle;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * A user's own encoding for the objects of one class. Objects with a codec can be stored in caches
 * that are kept on disk ({@link CacheConfig#durability}). In other caches the codec replaces the
 * encoding they would have otherwise. The class need neither be allowed ({@link
 * GridConfig#allowing}) nor be open to reflection. Register a codec on every node before any node
 * uses it ({@link GridConfig#codec}):
 *
 * <pre>{@code
 * final class MoneyCodec implements TypeCodec<Money> {
 *   public String name() {
 *     return "money";
 *   }
 *
 *   public Class<Money> type() {
 *     return Money.class;
 *   }
 *
 *   public void write(Money money, DataOutput out) throws IOException {
 *     out.writeByte(1); // the version of what follows
 *     out.writeLong(money.cents());
 *     out.writeUTF(money.currency());
 *   }
 *
 *   public Money read(DataInput in) throws IOException {
 *     int version = in.readByte();
 *     if (version != 1) {
 *       throw new IOException("version " + version + " of money is not known");
 *     }
 *     return Money.of(in.readLong(), in.readUTF());
 *   }
 * }
 * }</pre>
 *
 * <p><b>Written bytes stay.</b> Bytes on disk outlive the code that wrote them, and while nodes are
 * replaced one by one, old code reads new bytes. The codec itself must make sure that a later
 * {@link #read} understands what an earlier {@link #write} wrote: begin with a version byte. The
 * {@link #name} is part of the bytes and must not change; the class may be renamed and moved. A
 * codec may be dropped once nothing that it wrote is left.
 *
 * <p><b>One class exactly.</b> A codec does not cover subclasses; each needs a codec or another
 * encoding. The constants of an enum are all of one class. Types that already have a stable
 * encoding take no codec: booleans, numbers, characters, strings, byte arrays, UUIDs, {@code
 * java.time} and usual lists. Records and enums may have one.
 *
 * <p><b>In keys</b>, equal objects must become the same bytes and different objects different
 * bytes, because keys are compared as bytes. A codec that writes a set in the order of its hash
 * table makes entries impossible to find. Lists equal other lists of any class, so a list class
 * with a codec cannot be a key. Registering a codec for a class that is already used in keys makes
 * other keys of it.
 *
 * <p><b>Within other objects</b> (in fields, arrays, maps and sets of caches that are kept in
 * memory), objects are also written by their codec, except maps, collections, enums, and some
 * classes of the JDK.
 *
 * <p>A codec may throw anything; the caller that reads or writes gets an exception with the codec's
 * name. A codec may be called at any moment, also on the nodes that own an entry. It must not wait
 * for anything, nor use the grid.
 *
 * <p><b>Threading:</b> any thread, many at once.
 *
 * @param <T> the class of the objects
 */
public interface TypeCodec<T> {
  /**
   * The name that stands for the class in the bytes: 1 to 100 letters, digits, dots, dashes and
   * underscores, a letter or digit first. Keep it short, because every entry contains it. It must
   * always be the same.
   */
  String name();

  /** The class of the objects: no interface and no abstract class. It must always be the same. */
  Class<T> type();

  /**
   * Writes an object. What is written may take 16 MiB at most, the limit of a value.
   *
   * @throws IOException if the object cannot be written; the caller gets an {@link
   *     IllegalArgumentException}
   */
  void write(T value, DataOutput out) throws IOException;

  /**
   * Reads an object: exactly what {@link #write} wrote, to its end and no further; reading further
   * throws an {@link java.io.EOFException}. Where bytes are damaged, a length that was read may be
   * wrong: check it before allocating anything of that size.
   *
   * @return an object of {@link #type} and of no subclass
   * @throws IOException if the bytes are no such object
   */
  T read(DataInput in) throws IOException;
}
