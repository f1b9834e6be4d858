// Network address, TLS settings and connections of aggregated API servers.
import type { Agent } from "node:https";
import type { LookupFunction } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { internalError } from "@orch/machinery";
import { type Dialer, keepingAgent } from "@orch/platform";
import { type DialGuard, guardedLookup, guardedResolver } from "../services/dial-guard";
import { type ServiceResolver, serviceHostName } from "../services/service-address";
import type { RegisteredBackend, RemoteRegistration } from "./registration";

export interface ExtensionServer {
  readonly host: string;
  readonly port: number;
  /** Resolves the host when it is a DNS name. */
  readonly lookup: LookupFunction;
  readonly tls: ExtensionServerTls;
  /** Keeps idle connections for a short time. A reused connection may turn out to be closed. */
  readonly agent: Agent;
  /** Opens connections to the server. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
}

interface ExtensionServerTls {
  /** `<service>.<namespace>.svc`: the name the serving certificate must be valid for, and the Host of requests. */
  readonly servername: string;
  readonly rejectUnauthorized: boolean;
  readonly secureContext: SecureContext;
}

export interface ClientPair {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface ExtensionServersParts {
  readonly resolve: ServiceResolver;
  readonly guard: DialGuard;
  /**
   * Client certificate of the front proxy (`--proxy-client-cert-file`); undefined: none is presented. Returns the same
   * object while the pair is unchanged.
   */
  readonly clientPair: () => ClientPair | undefined;
  readonly dialer?: Dialer | undefined;
}

/** TLS settings and connections built once per registration. */
interface Means {
  readonly backend: RegisteredBackend;
  readonly pair: ClientPair | undefined;
  readonly tls: ExtensionServerTls;
  readonly agent: Agent;
}

/** Idle timeout of connections, shorter than the keep-alive timeout of common servers. */
const IDLE_MS = 4_000;
const IDLE_CONNECTIONS = 64;

export class ExtensionServers {
  private readonly means = new Map<string, Means>();

  private readonly resolve: ServiceResolver;

  constructor(private readonly parts: ExtensionServersParts) {
    this.resolve = guardedResolver(parts.resolve, parts.guard);
  }

  /**
   * Returns how to reach the aggregated API server.
   * @throws StatusError for a service that cannot be reached; InternalError (500) for unusable certificates
   */
  async of(registration: RemoteRegistration): Promise<ExtensionServer> {
    const { tls, agent } = this.meansOf(registration);
    const at = await this.resolve(registration.backend.service);
    const { guard, dialer } = this.parts;
    return { ...at, lookup: guardedLookup(guard, at.port), tls, agent, dialer };
  }

  /** Removes the settings of a registration. Running requests finish. */
  forget(name: string): void {
    this.means.delete(name);
  }

  close(): void {
    for (const { agent } of this.means.values()) agent.destroy();
    this.means.clear();
  }

  private meansOf({ name, backend }: RemoteRegistration): Means {
    const pair = this.parts.clientPair();
    const known = this.means.get(name);
    if (known !== undefined && known.pair === pair && isSame(known.backend, backend)) return known;
    const made: Means = {
      backend,
      pair,
      tls: {
        servername: serviceHostName(backend.service),
        rejectUnauthorized: backend.verified,
        secureContext: contextOf(name, backend, pair),
      },
      agent: keepingAgent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_MS }, this.parts.dialer),
    };
    this.means.set(name, made);
    return made;
  }
}

const isSame = (one: RegisteredBackend, other: RegisteredBackend): boolean =>
  one === other ||
  (one.ca === other.ca &&
    one.verified === other.verified &&
    serviceHostName(one.service) === serviceHostName(other.service));

function contextOf(name: string, { ca }: RegisteredBackend, pair: ClientPair | undefined): SecureContext {
  try {
    return createSecureContext({ ...(ca === "" ? {} : { ca, allowPartialTrustChain: true }), ...pair });
  } catch (error) {
    throw internalError(`the certificates for ${name} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
