package io.cantle.core.container;

class HeapContainerRaceTest extends ContainerRaceContract {
  @Override
  Container create() {
    return new HeapContainer();
  }
}
