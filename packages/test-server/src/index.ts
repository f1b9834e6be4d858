// A Kubernetes API server with its controllers inside a test.
export type { Manifest } from "./manifests/read-manifests";
export type { WaitOptions } from "./manifests/wait-for";
export type { FlagValue, TestServerOptions, TestUser } from "./options/test-server-options";
export type { RecordedRequest, Refuser } from "./requests/recorded-request";
export { startServer } from "./server/start-server";
export type { TestIdentity, TestServer } from "./server/test-server";
export type { Snapshot } from "./state/snapshot";
export type { AdmissionAnswer, AdmissionRequest, LocalWebhook } from "./webhooks/local-webhook";
