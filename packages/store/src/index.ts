export * from "./contract";
export type { CallObserver } from "./etcd/etcd-store";
export type { TlsFiles } from "./etcd/tls-files";
export { type EtcdOptions, openStore, type StoreOptions } from "./open-store";
export { compressingCodec, type ValueCodec, ValueCodecError } from "./value-codec";
