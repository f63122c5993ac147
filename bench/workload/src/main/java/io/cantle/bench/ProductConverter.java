package io.cantle.bench;

/**
 * Reads a product from the command line.
 *
 * <p><b>Threading:</b> immutable.
 */
final class ProductConverter extends LabelConverter<Product> {
  ProductConverter() {
    super(Product.ofThisCheckout(), Product::label);
  }
}
