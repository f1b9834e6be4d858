export * from "./contract";
export { openStore, type StoreOptions } from "./open-store";
