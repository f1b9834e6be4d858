// Connections from the server to nodes, pods and services: the objects that give addresses, and the client
// configuration for kubelets.
import type { Authorizer } from "@orch/auth";
import type { DialGuard, TrustedHeaders } from "@orch/extensions";
import type { Admission } from "@orch/machinery";
import type { Logger, ServerMetrics } from "@orch/observability";
import type { Dialer } from "@orch/platform";
import {
  type ConnectDeps,
  type LogRead,
  NodeAgents,
  type NodeAgentTls,
  TargetObjects,
  type TargetStorages,
} from "@orch/proxy";
import type { Vocabulary } from "@orch/schema";
import type { FeatureGates, ServerConfig } from "@orch/server-config";
import { requireAllowed } from "../pipeline/authorization";

export interface ConnectionParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly gates: FeatureGates;
  readonly storages: TargetStorages;
  readonly admission: Admission;
  readonly agentTls: NodeAgentTls;
  readonly guard: DialGuard;
  readonly dialer: Dialer | undefined;
  readonly trusted: () => TrustedHeaders;
  readonly authorizer: Authorizer;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

export function connectionsOf({
  config,
  vocabulary,
  gates,
  storages,
  admission,
  agentTls: tls,
  guard,
  dialer,
  trusted,
  authorizer,
  logger,
  metrics,
}: ConnectionParts): ConnectDeps {
  const objects = new TargetObjects(storages);
  const options = {
    preferredAddressTypes: config["nodeagent-preferred-address-types"],
    connectTimeoutMs: config["nodeagent-timeout"],
    tls,
    guard,
    dialer,
  };
  return {
    vocabulary,
    gates,
    objects,
    agents: new NodeAgents(options, objects, logger),
    guard,
    dialer,
    trusted,
    requireCreate: gates.AuthorizePodWebsocketUpgradeCreatePermission
      ? (request) => requireAllowed(authorizer, request, "create")
      : undefined,
    admission,
    logsRead: logFigures(metrics),
    random: Math.random,
  };
}

/** Labels of logs by whether the certificate of the kubelet is verified. Source: pkg/registry/core/pod/rest/metrics.go. */
const USAGES = { verified: "enforce_tls", unverified: "skip_tls_allowed" } as const;

function logFigures(metrics: ServerMetrics): (event: LogRead) => void {
  const reads = (
    [
      "kube_apiserver_pod_logs_insecure_backend_total",
      "kube_apiserver_pod_logs_pods_logs_insecure_backend_total",
    ] as const
  ).map((name) => metrics.counter(name));
  const failures = (
    [
      "kube_apiserver_pod_logs_backend_tls_failure_total",
      "kube_apiserver_pod_logs_pods_logs_backend_tls_failure_total",
    ] as const
  ).map((name) => metrics.counter(name));
  return (event) => {
    if (event === "tlsFailed") for (const failed of failures) failed.inc();
    else for (const read of reads) read.inc({ usage: USAGES[event] });
  };
}
