package io.cantle;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * How objects of one class become bytes and come back, in a form of the user's own. It makes them
 * fit for caches that are kept on disk ({@link CacheConfig#durability}), takes the place of
 * whatever form they would have in other caches, and needs the class neither allowed ({@link
 * GridConfig#allow}) nor open. Register it on every node before any node uses it ({@link
 * GridConfig#codec}):
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
 * <p><b>What is written stays.</b> Bytes on disk outlive the code that made them, and while nodes
 * are replaced one by one, old code meets new bytes. That a later {@link #read} understands what an
 * earlier {@link #write} wrote is the codec's own affair: begin with a byte that is its version.
 * The {@link #name} stands in the bytes and must not change; the class may be renamed and moved. A
 * codec may be dropped once nothing that it wrote is left.
 *
 * <p><b>One class exactly.</b> Objects of subclasses are not its own; each needs a codec or another
 * form. Constants of an enum are all of one class. Types which have a form already that is fit to
 * keep take no codec: booleans, numbers, characters, strings, byte arrays, UUIDs, {@code java.time}
 * and usual lists. Records and enums may have one.
 *
 * <p><b>In keys</b> equal objects must become the same bytes and different ones different bytes,
 * for it is bytes that are compared: with a codec that writes a set in the order of its hash table
 * an entry is lost from sight. Lists, which equal lists of any class, are no keys by a codec. A
 * codec that is registered for a class which is in keys already makes other keys of it.
 *
 * <p><b>Within other objects</b>, in fields, arrays, maps and sets of caches that are kept in
 * memory, objects are written by their codec as well, but for maps, collections, enums, and some
 * classes of the JDK.
 *
 * <p>A codec may throw what it likes: whoever reads or writes is told, with the codec's name. It is
 * called at any moment, on the nodes that own an entry as well, and must not wait for anything, nor
 * use the grid.
 *
 * <p><b>Threading:</b> any thread, many at once.
 *
 * @param <T> the class of the objects
 */
public interface TypeCodec<T> {
  /**
   * What stands for the class in the bytes: 1 to 100 letters, digits, dots, dashes and underscores,
   * a letter or digit first. Short is good, for it is in every entry. Always the same.
   */
  String name();

  /** The class of the objects: no interface, no abstract class. Always the same. */
  Class<T> type();

  /**
   * Writes an object. What is written gets no longer than a value may be, 16 MiB.
   *
   * @throws IOException when the object cannot be written; the caller gets an {@link
   *     IllegalArgumentException}
   */
  void write(T value, DataOutput out) throws IOException;

  /**
   * Reads an object: exactly what {@link #write} wrote, to the end and no further, which is an
   * {@link java.io.EOFException}. Lengths that are read may be wrong where bytes are damaged; let
   * nothing of that size be made before it is checked.
   *
   * @return an object of {@link #type} and of no subclass
   * @throws IOException when there is no such object
   */
  T read(DataInput in) throws IOException;
}
