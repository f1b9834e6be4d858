export {
  type Clock,
  type Log,
  type QueueMetrics,
  type RandomSource,
  type Reconcile,
  type RequeueAfter,
  type RetryLimiterOptions,
  type RunningWork,
  runWorkers,
  silentLog,
  systemClock,
  type WorkersOptions,
  WorkQueue,
  type WorkQueueOptions,
} from "@orch/platform";
export {
  type ChangeOptions,
  changeConfiguration,
  type EditedConfiguration,
} from "./configuration/change-configuration";
export type {
  AuthProviderEntry,
  ClientConfiguration,
  ClusterEntry,
  ContextEntry,
  ExecEntry,
  UserEntry,
} from "./configuration/configuration-file";
export { type InClusterOptions, inClusterConnection } from "./configuration/in-cluster";
export {
  configurationPaths,
  type LoadOptions,
  loadConfiguration,
  mergeConfigurations,
} from "./configuration/load-configuration";
export { loadConnection } from "./configuration/load-connection";
export { parseConfiguration } from "./configuration/parse-configuration";
export { type ContextChoice, resolveContext, resolveUser } from "./configuration/resolve-context";
export { configurationFor, configurationText, writeConfiguration } from "./configuration/write-configuration";
export {
  ConfigurationError,
  type ConnectionSettings,
  type CredentialSettings,
  type ExecSettings,
  type Identity,
  type Impersonation,
  type ProxyChoice,
  type TextSource,
  type TlsSettings,
} from "./connection/connection-settings";
export type { Credentials, KeyPair } from "./connection/credential-parts";
export { ExecCredentialError } from "./connection/exec-command";
export type { PluginCallStatus, PluginMetrics } from "./connection/plugin-metrics";
export { type PluginPolicy, pluginPolicyOf } from "./connection/plugin-policy";
export { type BuiltInTypes, builtInTypes } from "./discovery/built-in-types";
export type { DiscoveredResource, Discovery, DiscoveryFailure } from "./discovery/discovered-resource";
export { readDiscovery } from "./discovery/read-discovery";
export { ResourceMapper, type ResourceMapperOptions, UnknownResourceError } from "./discovery/resource-mapper";
export {
  DEFAULT_LEASE_DURATIONS,
  LeaderElection,
  type LeaderElectionOptions,
  type LeaseAccess,
  type LeaseDurations,
} from "./election/leader-election";
export {
  type EventAccess,
  EventRecorder,
  type EventRecorderOptions,
  type EventSink,
  type RecordedEvent,
} from "./events/event-recorder";
export type { EventHandler } from "./informers/event-handler";
export { Informer, type InformerOptions } from "./informers/informer";
export { InformerFactory, type InformerFactoryOptions, type SharedInformerOptions } from "./informers/informer-factory";
export { type ListSource, selected } from "./informers/list-source";
export type { IndexFunction } from "./informers/object-index";
export { keyOf, type ObjectView, splitKey } from "./informers/object-store";
export { Client, type ClientOptions } from "./requests/client";
export type { ClientMetrics } from "./requests/client-metrics";
export type { StreamedRequest, StreamedResponse } from "./requests/direct-sender";
export type * from "./requests/options";
export { RawClient, type RawClientOptions, type RawPost, type RawResponse } from "./requests/raw-client";
export { TimeoutError } from "./requests/request-bound";
export type { ApiRequest } from "./requests/request-sender";
export { type Deleted, type List, ResourceClient } from "./requests/resource-client";
export { type ResourceType, resourcePath } from "./requests/resource-type";
export type { WatchEvent } from "./requests/watch-events";
export { ConnectionError, type NetworkAddress } from "./transport/transport";
export type { UpgradedConnection, UpgradeRequest } from "./transport/upgraded-connection";
export type { AttachOptions, ExecOptions, PodLogOptions, PodReference } from "./upgrades/pod-stream-options";
export type { ForwardedPort, PortForward } from "./upgrades/port-forward";
export type { RemoteProcess, TerminalSize } from "./upgrades/remote-process";
