// Foundations of every program: time, logging, signals, certificates, queues and metrics.

export type { Counter, Gauge } from "prom-client";
export { IndexedBag } from "./collections/indexed-bag";
export { LinkedQueue, type QueueNode } from "./collections/linked-queue";
export { RecentMap } from "./collections/recent-map";
export {
  type CertificateExtension,
  type CertificateFields,
  certificateFields,
  extensionsHeldBy,
  extensionsIn,
} from "./der/certificate-fields";
export * from "./der/der";
export * from "./der/der-writing";
export { readBoundedText } from "./files/bounded-text";
export { makeFolder } from "./files/make-folder";
export { readOptionFile } from "./files/option-file";
export { systemFault } from "./files/system-fault";
export { watchFiles } from "./files/watched-files";
export {
  type ExternalError,
  errorFields,
  fieldTexts,
  type Log,
  type LogFields,
  messageOf,
  silentLog,
} from "./logging/log";
export {
  ignoreStreamErrors,
  LOSS_MESSAGE,
  type LogLosses,
  LogOutput,
  NO_LOSSES,
} from "./logging/log-output";
export { type SpanAttributes, spanning, type TraceSpan } from "./logging/trace-span";
export { changeFlag } from "./memory/changed-flags";
export { collectGarbageWhenIdle } from "./memory/idle-collection";
export { disablePretenuring } from "./memory/pretenuring";
export { sharedMemory } from "./memory/shared-memory";
export { BucketHistogram, type BucketSeries } from "./metrics/bucket-histogram";
export { type Joining, mergeSnapshots } from "./metrics/joined-metrics";
export { type MetricOptions, MetricSet, type NamedMetrics } from "./metrics/metric-set";
export { type AddressClass, addressClass, equivalentAddresses, isLoopback } from "./network/address-forms";
export {
  connectThrough,
  type Dialer,
  type DialTarget,
  EGRESS_NETWORKS,
  EgressError,
  type EgressNetwork,
  EgressSelector,
  keepingAgent,
  secured,
} from "./network/dialer";
export { ConnectDialer, type ConnectProxy, type DialObserver } from "./network/http-connect";
export { ANNOUNCEMENTS_MAX, observeResponse } from "./network/response-outcome";
export { generatedByBuild } from "./process/generated-by-build";
export { takeProfile } from "./process/profiles";
export { answerWatchdog, reportReady } from "./process/service-manager";
export { endOnSignals } from "./process/signals";
export type { QueueMetrics, RunningWork } from "./queue/queue-metrics";
export type { RetryLimiterOptions } from "./queue/retry-limiter";
export { type Reconcile, type RequeueAfter, runWorkers, type WorkersOptions } from "./queue/run-workers";
export { WorkQueue, type WorkQueueOptions } from "./queue/work-queue";
export { Backoff, type BackoffOptions, type PauseGrowth, pauseMsAfter } from "./time/backoff";
export { type Clock, type RandomSource, systemClock } from "./time/clock";
export { CLOCK_STEP_MS } from "./time/clock-steps";
export { ClientGoneError, type EndSignal, NEVER_ENDS, type StopSignal } from "./time/end-signal";
export { EventLoopYielder, runInSlices } from "./time/event-loop-yielder";
export { LongWaits } from "./time/long-waits";
export { pause, pauseUnlessAborted } from "./time/pause";
export { TokenBucket } from "./time/token-bucket";
export { loopIsBusy, whenIdle } from "./time/when-idle";
export {
  AGENT_CLIENT_USAGE,
  isAddress,
  type KeyAndCertificate,
  MADE_MARK,
  makeCertificate,
  type Subject,
  type Usage,
} from "./tls/certificate-material";
export { openSslSuites, TLS_VERSIONS, tlsVersion } from "./tls/cipher-suites";
export { type IssuerNames, issuerNames, type SignatureScheme, signatureScheme } from "./tls/issuer";
export { NamedContexts, type NamedPair, type PairFiles, pairFilesIn, readNamedPair } from "./tls/named-pairs";
export { certificateBlocks, readCertificates, readKeyOf } from "./tls/pem-files";
export { systemRoots } from "./tls/system-roots";
export { completeWords } from "./workers/complete-words";
export { type EndReason, GroupMember } from "./workers/group-member";
export { bufferOf, PeerLostError, PortPeer, type TypedErrors } from "./workers/port-peer";
export { superviseIfRequested, WORKERS_MAX, workersIn } from "./workers/supervise-if-asked";
export { takeWorkerIdentity, type WorkerIdentity } from "./workers/worker-identity";
