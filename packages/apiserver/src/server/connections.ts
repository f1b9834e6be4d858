// Connections from the server to nodes, pods and services: the objects that give addresses, and the client
// configuration for kubelets.
import type { Authorizer } from "@orch/auth";
import type { DialGuard, TrustedHeaders } from "@orch/extensions";
import type { Admission } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import type { Dialer } from "@orch/platform";
import { type ConnectDeps, NodeAgents, type NodeAgentTls, TargetObjects, type TargetStorages } from "@orch/proxy";
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
    random: Math.random,
  };
}
