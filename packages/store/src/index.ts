export * from "./contract/contract";
export { orderForm } from "./contract/key-order";
export { type OpenProblem, StoreOpenError } from "./contract/open-problem";
export { compressingCodec, type ValueCodec, ValueCodecError } from "./contract/value-codec";
export { type Recovered, recoverStore } from "./embedded/recover-store";
export { type Restored, restoreBackup } from "./embedded/restore-backup";
export { aesCbcProvider, aesGcmProvider, type NamedKey } from "./encryption/aes";
export { EncryptingStore } from "./encryption/encrypting-store";
export type { KmsObserver } from "./encryption/kms/kms-observer";
export { kmsProvider } from "./encryption/kms/kms-provider";
export { type EncryptionProvider, IDENTITY, type KmsTerms } from "./encryption/provider";
export { secretboxProvider } from "./encryption/secretbox";
export { type TransformationObserver, ValueProviders } from "./encryption/value-providers";

export type { TlsMaterial, TlsSource } from "./etcd/tls-files";
export { ETCD_TRANSPORTS, openStore, type StoreOptions } from "./open-store";
