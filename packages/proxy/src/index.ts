// Requests that another server answers: the node agents behind pods and nodes, services, and aggregated API servers.

export { MergedDiscovery } from "./aggregation/merged-discovery";
export { MergedSchema } from "./aggregation/merged-schema";
export { RemoteApis } from "./aggregation/remote-apis";
export { ServedRegistrations } from "./aggregation/served-registrations";
export type { ConnectDeps, LogRead } from "./connect/connect-request";
export { handleConnection } from "./connect/connection-handler";
export { NodeAgents, type NodeAgentTls } from "./connect/node-agent";
export { NodeAgentFiles } from "./connect/node-agent-files";
export { TargetObjects, type TargetStorages } from "./connect/target-objects";
export { MergedPeers } from "./peers/merged-peers";
export { PeerProxy } from "./peers/peer-proxy";
