export { createRegistry, type RegistryOptions } from "./create-registry";
export { type Compactor, type CompactorParts, startCompactor } from "./duties/compactor";
export { LoopTurns, type LoopTurnsOptions } from "./loop-turns";
export { type ItemSink, itemsLength, writeItems } from "./objects/item-writer";
export type { RegistryObserver } from "./observer";
export { computedStorage } from "./read/computed-storage";
export type * from "./registry";
export { follow } from "./watch/follow";
export { jsonFrame } from "./watch/watch-event";
