// Opens a store of any kind. A driver and its libraries are loaded only when it is the one asked for.

import { type Store, StoreError } from "./contract";
import type { CallObserver } from "./etcd/etcd-store";
import type { TlsFiles, TlsSource } from "./etcd/tls-files";
import type { Connect, Endpoint } from "./etcd/transport";
import { LocalStore } from "./local/local-store";

export type StoreOptions =
  /** Ends with the process: for tests. */
  | { readonly kind: "memory" }
  /** Durable, for one process: `directory` is made when missing, and refused while somebody has it open. */
  | { readonly kind: "embedded"; readonly directory: string }
  | EtcdOptions;

export const ETCD_TRANSPORTS = ["direct", "http2", "grpc-js"] as const;
export type EtcdTransport = (typeof ETCD_TRANSPORTS)[number];

export interface EtcdOptions {
  readonly kind: "etcd";
  /** `http://host:port`, `https://host:port`, or `host:port`, which is https when `tls` is given. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsFiles | TlsSource;
  /** What carries gRPC; `direct`, this package's own, unless told otherwise. `http2` is the run time's client. */
  readonly transport?: EtcdTransport;
  readonly onCall?: CallObserver;
}

/**
 * @returns a store that is ready for calls; an etcd cluster need not be up yet: calls say when it is not
 * @throws StoreOpenError for an embedded one that cannot be opened; StoreError for endpoints that are none
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  switch (options.kind) {
    case "memory":
      return new LocalStore();
    case "embedded": {
      const { openJournal } = require("./embedded/open-journal") as typeof import("./embedded/open-journal");
      return new LocalStore(await openJournal(options.directory));
    }
    case "etcd": {
      const { EtcdStore } = require("./etcd/etcd-store") as typeof import("./etcd/etcd-store");
      return new EtcdStore(endpointsOf(options), transportOf(options), options.onCall);
    }
  }
}

function endpointsOf({ endpoints, tls }: EtcdOptions): readonly Endpoint[] {
  if (endpoints.length === 0) throw new StoreError("internal", "no etcd endpoint is given");
  return endpoints.map((text) => {
    const address = text.includes("://") ? text : `${tls === undefined ? "http" : "https"}://${text}`;
    if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address)) {
      throw new StoreError("internal", `not an etcd endpoint: ${JSON.stringify(text)}`);
    }
    const { origin, protocol } = new URL(address);
    return { url: origin, tls: protocol === "https:" };
  });
}

function transportOf({ transport = "direct", tls }: EtcdOptions): Connect {
  switch (transport) {
    case "direct":
      return (
        require("./etcd/direct/direct-transport") as typeof import("./etcd/direct/direct-transport")
      ).directTransport(tls);
    case "http2":
      return (require("./etcd/http2-transport") as typeof import("./etcd/http2-transport")).http2Transport(tls);
    case "grpc-js":
      return (require("./etcd/grpc-js-transport") as typeof import("./etcd/grpc-js-transport")).grpcJsTransport(tls);
  }
}
