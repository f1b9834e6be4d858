// How the server behind a registration is reached: where it is on the network, and what either shows the other.
import { Agent } from "node:https";
import type { LookupFunction } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { internalError } from "@orch/machinery";
import { type DialGuard, guardedLookup, guardedResolver } from "../services/dial-guard";
import { type ServiceResolver, serviceHostName } from "../services/service-address";
import type { RegisteredBackend, RemoteRegistration } from "./registration";

export interface ExtensionServer {
  readonly host: string;
  readonly port: number;
  /** Resolves the host where it is a name. */
  readonly lookup: LookupFunction;
  readonly tls: ExtensionServerTls;
  /** Keeps connections for a while. One that has been used before may turn out to be closed. */
  readonly agent: Agent;
}

export interface ExtensionServerTls {
  /** `<service>.<namespace>.svc`: what its certificate has to be for, and what requests say that they are for. */
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
   * By which extension servers know who tells them whom they serve; undefined: none is shown. The same object as long as it is the same pair.
   */
  readonly clientPair: () => ClientPair | undefined;
}

/** What is made of a registration once. */
interface Means {
  readonly backend: RegisteredBackend;
  readonly pair: ClientPair | undefined;
  readonly tls: ExtensionServerTls;
  readonly agent: Agent;
}

/** Less than any server keeps a connection that says nothing. */
const IDLE_MS = 4_000;
const IDLE_CONNECTIONS = 64;

export class ExtensionServers {
  private readonly means = new Map<string, Means>();

  private readonly resolve: ServiceResolver;

  constructor(private readonly parts: ExtensionServersParts) {
    this.resolve = guardedResolver(parts.resolve, parts.guard);
  }

  /** @throws StatusError for a service that cannot be reached; InternalError (500) for certificates that cannot be used */
  async of(registration: RemoteRegistration): Promise<ExtensionServer> {
    const { tls, agent } = this.meansOf(registration);
    const at = await this.resolve(registration.backend.service);
    return { ...at, lookup: guardedLookup(this.parts.guard, at.port), tls, agent };
  }

  /** It is not asked any more. What is under way is finished. */
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
      agent: new Agent({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_MS }),
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
    return createSecureContext({ ...(ca === "" ? {} : { ca }), ...pair });
  } catch (error) {
    throw internalError(`the certificates for ${name} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
