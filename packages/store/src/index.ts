export { type Restored, restoreBackup } from "./backup/restore-backup";
export * from "./contract";
export { type Recovered, recoverStore } from "./embedded/recover-store";
export type { CallObserver } from "./etcd/etcd-store";
export type { TlsFiles, TlsMaterial, TlsSource } from "./etcd/tls-files";
export { orderForm } from "./key-order";
export { type OpenProblem, StoreOpenError } from "./open-problem";
export { type EtcdOptions, openStore, type StoreOptions } from "./open-store";
export { compressingCodec, type ValueCodec, ValueCodecError } from "./value-codec";
