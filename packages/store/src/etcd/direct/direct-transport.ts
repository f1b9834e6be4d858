// gRPC on HTTP/2 of this package's own: as much of both as etcd speaks, at half of what the run time's client costs a call.
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { readTlsFiles, type TlsFiles, type TlsSource } from "../tls-files";
import type { Connect, Endpoint } from "../transport";
import { DirectConnection } from "./direct-connection";

/** Makes connections by HTTP/2 of this package's own; with `tls`, those to https endpoints use its files. */
export function directTransport(tls: TlsFiles | TlsSource = {}): Connect {
  return async (endpoint, timeoutMs) => {
    const socket = await socketTo(endpoint, tls);
    socket.setNoDelay(true);
    const connection = new DirectConnection(socket, endpoint);
    await greeted(connection, endpoint, timeoutMs);
    return connection;
  };
}

const PORTS = { http: 80, https: 443 };

async function socketTo(endpoint: Endpoint, files: TlsFiles | TlsSource): Promise<Socket> {
  const { hostname, port } = new URL(endpoint.url);
  // Addresses of six parts stand in brackets.
  const host = hostname.replace(/^\[|\]$/g, "");
  if (!endpoint.tls) return connectPlain({ host, port: Number(port) || PORTS.http });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({
    ...(await readTlsFiles(files)),
    ...servername,
    host,
    port: Number(port) || PORTS.https,
    ALPNProtocols: ["h2"],
  });
}

/** A frozen process still accepts TCP connections, by its kernel: only HTTP/2 settings from it prove that it is alive. */
async function greeted(connection: DirectConnection, { url }: Endpoint, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${url} does not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([connection.greeting, late]);
  } catch (error) {
    connection.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
