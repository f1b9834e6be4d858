// Opens a store of any kind. A driver and its libraries are loaded only when they are used.

import type { Dialer } from "@orch/platform";
import { type Additions, type Store, StoreError } from "./contract/contract";
import type { CallObserver } from "./etcd/etcd-store";
import type { TlsFiles, TlsSource } from "./etcd/tls-files";
import type { Connect, Endpoint } from "./etcd/transport";
import { LocalStore } from "./local/local-store";

export type StoreOptions =
  /** A store in memory, which ends with the process. For tests. */
  | { readonly kind: "memory" }
  /**
   * A durable store for one process. `directory` is created when missing, and rejected while another process uses it.
   */
  | { readonly kind: "embedded"; readonly directory: string; readonly additions?: Additions | undefined }
  | EtcdOptions;

export const ETCD_TRANSPORTS = ["direct", "grpc-js"] as const;
export type EtcdTransport = (typeof ETCD_TRANSPORTS)[number];

interface EtcdOptions {
  readonly kind: "etcd";
  /** `http://host:port`, `https://host:port`, or `host:port`, which is https when `tls` is given. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsFiles | TlsSource;
  /**
   * Implementation of the gRPC transport. Default: `direct`, the implementation of this package. `grpc-js` uses the
   * library `@grpc/grpc-js`.
   */
  readonly transport?: EtcdTransport;
  /** Opens the connections below TLS, with the transport `direct` only. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
  readonly onCall?: CallObserver;
}

/**
 * Opens a store. An etcd cluster need not be reachable yet: calls report it.
 * @throws StoreOpenError for an embedded store that cannot be opened; StoreError for invalid endpoints
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  switch (options.kind) {
    case "memory":
      return new LocalStore();
    case "embedded": {
      const { openJournal } = require("./embedded/open-journal") as typeof import("./embedded/open-journal");
      return new LocalStore(await openJournal(options.directory, options));
    }
    case "etcd": {
      const { EtcdStore } = require("./etcd/etcd-store") as typeof import("./etcd/etcd-store");
      return new EtcdStore(endpointsOf(options), transportOf(options), options.onCall);
    }
  }
}

function endpointsOf({ endpoints, tls }: EtcdOptions): readonly Endpoint[] {
  if (endpoints.length === 0) throw new StoreError("internal", "at least one etcd endpoint is required");
  return endpoints.map((text) => {
    const address = text.includes("://") ? text : `${tls === undefined ? "http" : "https"}://${text}`;
    if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address)) {
      throw new StoreError("internal", `not an etcd endpoint: ${JSON.stringify(text)}`);
    }
    const { origin, protocol } = new URL(address);
    return { url: origin, tls: protocol === "https:" };
  });
}

function transportOf({ transport = "direct", tls, dialer }: EtcdOptions): Connect {
  switch (transport) {
    case "direct":
      return (
        require("./etcd/direct/direct-transport") as typeof import("./etcd/direct/direct-transport")
      ).directTransport(tls, dialer);
    case "grpc-js":
      return (require("./etcd/grpc-js-transport") as typeof import("./etcd/grpc-js-transport")).grpcJsTransport(tls);
  }
}
