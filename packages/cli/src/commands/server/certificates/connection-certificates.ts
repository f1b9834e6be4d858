// Certificates of a connection: those that the server presents, the client's own, and the authorities that the client
// trusts.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { connect, type DetailedPeerCertificate } from "node:tls";
import type { ConnectionSettings, TextSource } from "@orch/client";
import { fileFault } from "../../../process/file-fault";
import { type CertificateFacts, factsIn, factsOf } from "./certificate-facts";

const TIMEOUT_MS = 5000;

/** Returns the certificates of a connection. A part that cannot be read is left out, and named in `lacking`. */
export async function connectionCertificates(
  connection: ConnectionSettings,
  nowMs: number,
): Promise<{ readonly certificates: readonly CertificateFacts[]; readonly lacking: readonly string[] }> {
  const lacking: string[] = [];
  const attempt = async (what: string, read: () => Promise<readonly CertificateFacts[]>) => {
    try {
      return await read();
    } catch (error) {
      lacking.push(`${what}: ${fileFault(error)}`);
      return [];
    }
  };
  const { tls, credentials } = connection;
  const serving = await attempt("serving certificate", () => servingCertificates(connection, nowMs));
  const own = await attempt("client certificate", async () => {
    const source = credentials.certificate?.certificate;
    return source === undefined ? [] : factsIn("client", textOf(source), nowMs);
  });
  const trusted = await attempt("trusted authorities", async () =>
    tls.ca === undefined ? [] : factsIn("authority", textOf(tls.ca), nowMs),
  );
  return { certificates: [...serving, ...own, ...trusted], lacking };
}

const textOf = (source: TextSource): string =>
  source.kind === "text" ? source.text : readFileSync(source.path, "utf8");

/** Looks at the certificates during a handshake of its own. They are looked at and not trusted. */
function servingCertificates({ server, tls }: ConnectionSettings, nowMs: number): Promise<readonly CertificateFacts[]> {
  const { hostname, port, protocol } = new URL(server);
  if (protocol !== "https:") return Promise.resolve([]);
  const host = hostname.replace(/^\[|\]$/g, "");
  const name = tls.serverName ?? host;
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      rejectUnauthorized: false,
      ...(isIP(name) === 0 && { servername: name }),
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no handshake within ${TIMEOUT_MS / 1000} s`)));
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      const chain = chainOf(socket.getPeerCertificate(true));
      socket.destroy();
      resolve(chain.map((each, at) => factsOf(at === 0 ? "serving" : `serving (${at + 1})`, each, nowMs)));
    });
  });
}

function chainOf(first: DetailedPeerCertificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  const seen = new Set<string>();
  for (let each = first; each?.raw !== undefined && !seen.has(each.fingerprint256); each = each.issuerCertificate) {
    seen.add(each.fingerprint256);
    chain.push(new X509Certificate(each.raw));
  }
  return chain;
}
