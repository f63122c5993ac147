package io.cantle.core.container;

class ObjectContainerRaceTest extends ContainerRaceContract {
  @Override
  Container create() {
    return new HeapContainer(true);
  }

  @Override
  EntryForm form() {
    return EntryForm.OBJECTS;
  }
}
