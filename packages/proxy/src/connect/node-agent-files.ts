// CA and client certificate for kubelets, read again when their files change.
import { X509Certificate } from "node:crypto";
import { AGENT_CLIENTS_GROUP, organizationsOf, PRIVILEGED_GROUP } from "@orch/auth";
import type { ClientPair } from "@orch/extensions";
import { type WatchedFiles, watchedCertificates, watchedPair } from "@orch/http-server";
import { AGENT_CLIENT_USAGE } from "@orch/platform";
import type { ReloadParts, ServerConfig } from "@orch/server-config";
import type { NodeAgentTls } from "./node-agent";

type Option = "nodeagent-certificate-authority" | "nodeagent-client-certificate" | "nodeagent-client-key";

const PRIVILEGED_WARNING =
  `--nodeagent-client-certificate is in the group ${PRIVILEGED_GROUP}: a node that registers an API server's address as its own can use ` +
  `it there; use a certificate of the group ${AGENT_CLIENTS_GROUP} that API servers do not accept`;

export class NodeAgentFiles implements NodeAgentTls {
  private readonly trusted: WatchedFiles<string> | undefined;
  private readonly pair: WatchedFiles<ClientPair> | undefined;

  /** @throws Error that names the option for a file that cannot be read or has wrong content */
  constructor(config: Pick<ServerConfig, Option>, parts: ReloadParts) {
    const file = (option: Option) => ({ option, file: config[option] });
    const authority = file("nodeagent-certificate-authority");
    const certificate = file("nodeagent-client-certificate");
    this.trusted = authority.file === "" ? undefined : watchedCertificates(authority, parts);
    this.pair = certificate.file === "" ? undefined : watchedPair(certificate, file("nodeagent-client-key"), parts);
    if (isPrivileged(this.pair?.current)) parts.logger.warn(PRIVILEGED_WARNING, { certificate: certificate.file });
  }

  authority(): string | undefined {
    return this.trusted?.current;
  }

  certificate(): ClientPair | undefined {
    return this.pair?.current;
  }

  close(): void {
    this.trusted?.close();
    this.pair?.close();
  }
}

/** Whether a pair has all permissions at API servers that accept its authority. */
function isPrivileged(pair: ClientPair | undefined): boolean {
  if (pair === undefined) return false;
  const certificate = new X509Certificate(pair.cert);
  return organizationsOf(certificate).includes(PRIVILEGED_GROUP) && !certificate.keyUsage?.includes(AGENT_CLIENT_USAGE);
}
