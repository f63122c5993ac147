/**
 * Tests that the programs in README.md and docs/guide do what their pages say. Begin reading with
 * {@link io.cantle.guide.GuideTest}.
 */
@NullMarked
package io.cantle.guide;

import org.jspecify.annotations.NullMarked;
