package io.cantle.bench;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads a product from the command line, and names all of them when there is no such.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ProductConverter implements ITypeConverter<Product> {
  @Override
  public Product convert(String word) {
    for (Product product : Product.values()) {
      if (product.label().equals(word)) {
        return product;
      }
    }
    throw new TypeConversionException(
        "`"
            + word
            + "` is none of "
            + Arrays.stream(Product.values()).map(Product::label).toList());
  }
}
