package io.cantle.bench;

/**
 * A converter that parses a product on the command line.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ProductConverter extends LabelConverter<Product> {
  ProductConverter() {
    super(Product.ofThisCheckout(), Product::label);
  }
}
