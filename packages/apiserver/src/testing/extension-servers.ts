// Two servers of this project, one as the aggregator and one as the aggregated API server, which trusts the
// aggregator's front proxy headers.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KeyAndCertificate, makeCertificate, type Usage } from "@orch/platform";
import type { StartOptions } from "../server/start-server";

export interface ProxyFiles {
  readonly folder: string;
  /** Flags of the aggregator. */
  readonly front: NonNullable<StartOptions["flags"]>;
  /** Flags of the aggregated API server. */
  readonly back: NonNullable<StartOptions["flags"]>;
  /** Authority of the proxy client certificate and of the aggregated server's serving certificate. */
  readonly authority: KeyAndCertificate;
  readonly serving: KeyAndCertificate;
  readonly proxy: KeyAndCertificate;
  remove(): void;
}

const PROXY_NAME = "front-proxy";

/** @param host of the aggregated API server */
export function proxyFiles(host: string): ProxyFiles {
  const folder = mkdtempSync(join(tmpdir(), "extension-servers-"));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const nowMs = Date.now();
  const made = (commonName: string, usage: Usage, issuer?: KeyAndCertificate) =>
    makeCertificate({ subject: { commonName }, usage, issuer, nowMs });
  const authority = made("proxies", { kind: "authority" });
  const proxy = made(PROXY_NAME, { kind: "client" }, authority);
  const serving = made(host, { kind: "server", names: [host, "127.0.0.1"] }, authority);
  return {
    folder,
    authority,
    proxy,
    serving,
    front: {
      "proxy-client-cert-file": file("proxy.crt", proxy.certificate),
      "proxy-client-key-file": file("proxy.key", proxy.key),
    },
    back: {
      "tls-cert-file": file("serving.crt", serving.certificate),
      "tls-private-key-file": file("serving.key", serving.key),
      "requestheader-client-ca-file": file("proxies.crt", authority.certificate),
      "requestheader-allowed-names": [PROXY_NAME],
      "requestheader-username-headers": ["X-Remote-User"],
      "requestheader-uid-headers": ["X-Remote-Uid"],
      "requestheader-group-headers": ["X-Remote-Group"],
      "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export const REGISTRATIONS = "/apis/apiregistration.orch.io/v1/apiservices";
export const SERVICES = "/api/v1/namespaces/default/services";

/** A service of type ExternalName that leads to this machine. */
export const localService = (name: string) => ({
  metadata: { name },
  spec: { type: "ExternalName", externalName: "localhost" },
});

export function registration(
  group: string,
  {
    version = "v1",
    service,
    port,
    spec = {},
  }: {
    readonly version?: string;
    readonly service: string;
    readonly port: number;
    readonly spec?: object;
  },
) {
  return {
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { namespace: "default", name: service, port },
      ...spec,
    },
  };
}
