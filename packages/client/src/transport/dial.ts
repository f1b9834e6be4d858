// Opens a TLS connection to a random address of the server, so that clients spread over the replicas behind a name.

import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP, type Socket } from "node:net";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { type Clock, type Dialer, type RandomSource, secured } from "@orch/platform";
import type { TlsSettings } from "../connection/connection-settings";
import type { TlsMaterial } from "../connection/tls-material";
import { ConnectionError } from "./transport";

/** Timeout from the first packet to the end of the handshake. */
const DIAL_TIMEOUT_MS = 30_000;
const TCP_KEEP_ALIVE_MS = 30_000;

export interface DialDeps {
  readonly clock: Clock;
  readonly chance: RandomSource;
  /** Opens the connections below TLS. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
}

/** Checks whether a connection may use an address of a host name. @returns the reason for a rejection */
export type AddressGuard = (address: string) => string | undefined | Promise<string | undefined>;

/**
 * Returns options of node:tls and node:https for a server. Reuse them for many connections: parsing certificates is
 * slow.
 * @throws Error for invalid certificates
 */
export function tlsOptions(
  url: URL,
  settings: TlsSettings,
  { ca, certificate, key }: TlsMaterial,
  { chance, guard }: { readonly chance: RandomSource; readonly guard?: AddressGuard | undefined },
) {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const serverName = settings.serverName ?? (isIP(host) === 0 ? host : undefined);
  return {
    host,
    port: Number(url.port || 443),
    secureContext: createSecureContext({
      minVersion: "TLSv1.2",
      // An intermediate may be the one that is trusted, as in the clients of Kubernetes.
      ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
      ...(certificate === undefined || key === undefined ? {} : { cert: certificate, key }),
    }),
    rejectUnauthorized: settings.insecureSkipVerify !== true,
    lookup: shuffledLookup(chance, guard),
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}

/** Opens a connection. @param protocols ALPN protocols in order of preference @throws ConnectionError */
export async function dial(
  options: ReturnType<typeof tlsOptions>,
  protocols: readonly string[],
  { clock, dialer }: DialDeps,
): Promise<TLSSocket> {
  const through = dialer && (await tunnel(dialer, options));
  return new Promise((resolve, reject) => {
    const all = { ...options, ALPNProtocols: [...protocols] };
    const socket = through === undefined ? connect(all) : secured(through, all);
    prompt(socket);
    const fail = (cause: Error) => {
      cancel();
      socket.destroy();
      const message = `cannot connect to ${options.host}:${options.port}: ${cause.message}`;
      reject(new ConnectionError(message, { cause, notProcessed: true }));
    };
    const cancel = clock.after(DIAL_TIMEOUT_MS, () => fail(new Error(`no answer within ${DIAL_TIMEOUT_MS} ms`)));
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      cancel();
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

async function tunnel(dialer: Dialer, { host, port }: { readonly host: string; readonly port: number }) {
  try {
    return await dialer.dial({ host, port });
  } catch (cause) {
    throw new ConnectionError((cause as Error).message, { cause, notProcessed: true });
  }
}

/** Disables Nagle's algorithm, and detects a silent peer by TCP keep-alive. */
export function prompt(socket: Socket): void {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

function shuffledLookup(chance: RandomSource, guard: AddressGuard | undefined) {
  return (host: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(host, options, (error, address: string | LookupAddress[], family) => {
      const found = Array.isArray(address) ? shuffled(address, chance) : address;
      if (error !== null || guard === undefined) return callback(error, found, family);
      const each = Array.isArray(found) ? found.map((one) => one.address) : [found];
      void firstRefusal(each, guard).then((refused) => callback(refused, found, family));
    });
  };
}

async function firstRefusal(addresses: readonly string[], guard: AddressGuard): Promise<Error | null> {
  try {
    for (const address of addresses) {
      const reason = await guard(address);
      if (reason !== undefined) return new Error(reason);
    }
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function shuffled<Item>(items: readonly Item[], chance: RandomSource): Item[] {
  const order = items.map((item) => ({ item, at: chance() }));
  return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
