// How the server calls node agents: whom it trusts there, and what it shows them, from files that are read again when they change.
import type { ClientPair } from "@orch/extensions";
import type { NodeAgentTls } from "../connect/node-agent";
import type { ServerConfig } from "../flags/server-flags";
import type { ReloadParts } from "../option-files/reloaded-file";
import { type WatchedFiles, watchedCertificates, watchedPair } from "./watched-material";

type Option = "nodeagent-certificate-authority" | "nodeagent-client-certificate" | "nodeagent-client-key";

export class NodeAgentFiles implements NodeAgentTls {
  private readonly trusted: WatchedFiles<string> | undefined;
  private readonly pair: WatchedFiles<ClientPair> | undefined;

  /** @throws Error that names the option for a file that cannot be read, or does not hold what it should */
  constructor(config: Pick<ServerConfig, Option>, parts: ReloadParts) {
    const file = (option: Option) => ({ option, file: config[option] });
    const authority = file("nodeagent-certificate-authority");
    const certificate = file("nodeagent-client-certificate");
    this.trusted = authority.file === "" ? undefined : watchedCertificates(authority, parts);
    this.pair = certificate.file === "" ? undefined : watchedPair(certificate, file("nodeagent-client-key"), parts);
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
