// Test helpers of several packages.

export { certificateFields } from "./certificate-fields";
export {
  certificateRequest,
  der,
  KEY_KINDS,
  type KeyKind,
  type MadeAuthority,
  oid,
  pemOf,
  type RequestParts,
  requestField,
  testAuthority,
  testKey,
} from "./certificate-request";
export { ConnectProxy } from "./connect-proxy";
export { garbageCollector } from "./garbage-collector";
export { type Growing, growthOf, LINEAR_MAX } from "./growth";
export { type KmsBehaviour, KmsPlugin, type KmsPluginMethod } from "./kms-plugin";
export { ManualClock, settled } from "./manual-clock";
export { runInProcess } from "./run-typescript";
export { type LocalS3, startS3 } from "./s3-server";
export { signerKey, TokenSigner } from "./token-signer";
export { type CollectedSpan, TraceCollector } from "./trace-collector";
export { wrongLines } from "./wrong-lines";
