// gRPC on an HTTP/2 client of this package, limited to the features that etcd uses. A call takes a sixth of the
// processor time of one over `@grpc/grpc-js`: docs/dependencies.md.
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Dialer, secured } from "@orch/platform";
import { readTlsFiles, type TlsFiles, type TlsSource } from "../tls-files";
import type { Connect, Endpoint } from "../transport";
import { DirectConnection } from "./direct-connection";

/**
 * Returns a connector. Connections to https endpoints use the files of `tls`.
 * @param dialer opens the connections below TLS; undefined: they are direct
 */
export function directTransport(tls: TlsFiles | TlsSource = {}, dialer?: Dialer): Connect {
  return async (endpoint, timeoutMs) => {
    const socket = await socketTo(endpoint, tls, dialer);
    socket.setNoDelay(true);
    const connection = new DirectConnection(socket, endpoint);
    await firstSettings(connection, endpoint, timeoutMs);
    return connection;
  };
}

const PORTS = { http: 80, https: 443 };

async function socketTo(endpoint: Endpoint, files: TlsFiles | TlsSource, dialer: Dialer | undefined): Promise<Socket> {
  const { hostname, port: given } = new URL(endpoint.url);
  // IPv6 addresses in URLs are enclosed in brackets.
  const host = hostname.replace(/^\[|\]$/g, "");
  const port = Number(given) || (endpoint.tls ? PORTS.https : PORTS.http);
  const tunnel = dialer && (await dialer.dial({ host, port }));
  if (!endpoint.tls) return tunnel ?? connectPlain({ host, port });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const options = {
    ...(await readTlsFiles(files)),
    allowPartialTrustChain: true,
    ...servername,
    ...{ host, port },
    ALPNProtocols: ["h2"],
  };
  return tunnel === undefined ? connectTls(options) : secured(tunnel, options);
}

/**
 * Waits for the HTTP/2 settings of the server. The kernel accepts TCP connections even for a frozen process, so only
 * the settings prove that it is alive.
 */
async function firstSettings(connection: DirectConnection, { url }: Endpoint, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${url} does not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([connection.settingsReceived, late]);
  } catch (error) {
    connection.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
