export { type Clock, systemClock } from "./clock";
export { COMPACTION_INTERVAL_MS, type Compactor, type CompactorParts, startCompactor } from "./compactor";
export { computedStorage } from "./computed-storage";
export { createRegistry, type RegistryOptions } from "./create-registry";
export { type ItemSink, itemsLength, writeItems } from "./item-writer";
export type { RegistryLog } from "./log";
export type { RegistryObserver } from "./observer";
export type * from "./registry";
export { jsonFrame } from "./watch-event";
