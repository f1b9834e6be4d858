// Relays exec, attach and portforward streams to the kubelet of the pod's node. The relay does not interpret their
// content. Source: pkg/registry/core/pod/rest/subresources.go.

import { badRequest } from "@orch/machinery";
import { NO_QUERY } from "@orch/request";
import type { ConnectDeps, ConnectRequest } from "./connect-request";
import { chooseContainer } from "./container-choice";
import { upgradeHeaders } from "./forwarded-headers";
import { agentPath, type StreamKind } from "./stream-options";
import { relayUpgrade } from "./upgrade-relay";

export async function relayStreams(deps: ConnectDeps, asked: ConnectRequest, kind: StreamKind): Promise<void> {
  const { key, query = NO_QUERY } = asked.info;
  const pod = await deps.objects.pod(key);
  const container = kind === "portforward" ? "" : chooseContainer(pod, query.get("container") ?? "");
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") throw badRequest(`pod ${key.name} does not have a host assigned`);
  const agent = await deps.agents.of(nodeName);
  const path = agentPath(kind, { namespace: key.namespace, pod: key.name, container }, query);
  relayUpgrade(asked, agent, { path, headers: upgradeHeaders(asked.request, deps.trusted()) });
}
