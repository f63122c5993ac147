/**
 * The few things every room needs: time, the world a node runs in, bytes to write and read. Nothing
 * enters without two users; nothing here knows the rest of the core.
 */
package io.cantle.core.base;
