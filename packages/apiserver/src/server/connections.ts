// What requests need that lead out of the server: the objects that say where to, and how node agents are called.
import type { Admission } from "@orch/machinery";
import { readCertificates, readKeyOf } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { ConnectDeps } from "../connect/connect-request";
import { NodeAgents, type NodeAgentTls } from "../connect/node-agent";
import { TargetObjects, type TargetStorages } from "../connect/target-objects";
import type { FeatureGates } from "../flags/feature-gates";
import type { ServerConfig } from "../flags/server-flags";
import type { Logger } from "../logging/logger";

export interface ConnectionParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly gates: FeatureGates;
  readonly storages: TargetStorages;
  readonly admission: Admission;
  readonly logger: Logger;
}

/** @throws Error that names the option for a file that cannot be read */
export function connectionsOf({
  config,
  vocabulary,
  gates,
  storages,
  admission,
  logger,
}: ConnectionParts): ConnectDeps {
  const objects = new TargetObjects(storages);
  const tls = agentTls(config);
  tls.authority();
  tls.certificate();
  const options = {
    preferredAddressTypes: config["nodeagent-preferred-address-types"],
    connectTimeoutMs: config["nodeagent-timeout"],
    tls,
  };
  return {
    vocabulary,
    gates,
    objects,
    agents: new NodeAgents(options, objects, logger),
    admission,
    random: Math.random,
  };
}

/** Read anew for every connection: such files are replaced while a server runs, and connections to agents are few. */
function agentTls(config: ServerConfig): NodeAgentTls {
  const certificates = (option: "nodeagent-certificate-authority" | "nodeagent-client-certificate") =>
    config[option] === "" ? undefined : readCertificates(option, config[option]);
  return {
    authority: () => certificates("nodeagent-certificate-authority"),
    certificate: () => {
      const cert = certificates("nodeagent-client-certificate");
      if (cert === undefined) return undefined;
      return { cert, key: readKeyOf(cert, "nodeagent-client-key", config["nodeagent-client-key"]) };
    },
  };
}
