// The API server as a library: starts a whole server inside a process, and opens servers for programs.

export type { ServerMetrics } from "@orch/observability";
export { createLogger, type Logger } from "@orch/observability";
export type { KeyAndCertificate } from "@orch/platform";
export { pageForPeople } from "./handlers/console-handler";
export { EXPLORER_PATH } from "./handlers/docs-handler";
export { type RecordingPoint, recordingStart, replayRecording } from "./recording/read-recording";
export type { ApiServer } from "./server/api-server";
export { type ClientMaterial, type KubeconfigOf, kubeconfigText } from "./server/kubeconfig";
export { openApiServer, type StoreParts } from "./server/open-api-server";
export { startFailure } from "./server/start-failure";
export { type RunningServer, type StartOptions, startServer, startWithSeams } from "./server/start-server";
export { packageVersion } from "./version/build-record";
export { versionInfo } from "./version/version-document";
