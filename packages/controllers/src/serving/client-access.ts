// Authentication and authorization of the program's own port: by client certificates, authenticating proxies, and token
// and access reviews at the API server.
// Source: kube-controller-manager reference, `--authentication-kubeconfig` and `--authorization-kubeconfig`.
import type { X509Certificate } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import {
  ANONYMOUS_USER,
  type AuthenticationRequest,
  type Authenticator,
  type Authorizer,
  anonymous,
  bearerTokenAuthenticator,
  ClientCertificateAuthenticator,
  PRIVILEGED_GROUP,
  RequestHeaderAuthenticator,
  rememberedWebhook,
  unionOf,
  WebhookAuthorizer,
  WebhookTokens,
} from "@orch/auth";
import { Client, loadConnection, type ResourceType } from "@orch/client";
import { isCode, StatusError } from "@orch/machinery";
import { type Log, NEVER_ENDS, systemClock } from "@orch/platform";
import { groupName, type JsonObject, type Vocabulary } from "@orch/schema";
import type { ServingConfig } from "./serving-flags";
import { followAuthorities, lookUpAuthorities, ownAuthorities, type TrustedAuthorities } from "./trusted-authorities";

export interface AccessParts {
  readonly config: ServingConfig;
  readonly vocabulary: Vocabulary;
  readonly log: Log;
}

export type Access =
  | { readonly kind: "allowed" }
  /** The credential is not valid. */
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly user: string; readonly reason: string };

const REVIEW_TIMEOUT_MS = 10_000;
const ALLOWED: Access = { kind: "allowed" };

export class ClientAccess {
  private authenticator: Authenticator;
  private readonly authorizer: Authorizer | undefined;

  private constructor(
    private readonly parts: AccessParts,
    private readonly clients: {
      readonly authentication: Client | undefined;
      readonly authorization: Client | undefined;
    },
    authorities: TrustedAuthorities,
  ) {
    this.authenticator = this.methods(authorities);
    this.authorizer = clients.authorization && this.reviewed(clients.authorization);
  }

  /** @throws Error naming the option, for an unusable file, and for a cluster without the authentication config map */
  static async open(parts: AccessParts): Promise<ClientAccess> {
    const { config, log } = parts;
    const clients = {
      authentication: clientBy("authentication-kubeconfig", parts),
      authorization: clientBy("authorization-kubeconfig", parts),
    };
    const client = config["authentication-skip-lookup"] ? undefined : clients.authentication;
    const authorities = client === undefined ? ownAuthorities(config) : await lookUpAuthorities(config, client, log);
    const access = new ClientAccess(parts, clients, authorities);
    followAuthorities(config, client, (now) => access.replace(now));
    return access;
  }

  /** Replaces the authorities. The previous ones stay in force when the new ones are not readable. */
  private replace(now: () => TrustedAuthorities): void {
    try {
      this.authenticator = this.methods(now());
    } catch (error) {
      this.parts.log.error("the changed client CAs cannot be used: the previous CAs remain in use", {
        error: (error as Error).message,
      });
    }
  }

  async of(request: IncomingMessage, path: string): Promise<Access> {
    if (isAmong(this.parts.config["authorization-always-allow-paths"], path)) return ALLOWED;
    if (this.authorizer === undefined && path === "/metrics" && isFromThisMachine(request)) return ALLOWED;
    const outcome = await this.authenticator.authenticate(questionOf(request, path));
    if (outcome.kind !== "authenticated") return { kind: "unknown" };
    const { user } = outcome;
    if (user.groups.includes(PRIVILEGED_GROUP)) return ALLOWED;
    if (this.authorizer === undefined) {
      const isKnown = user.name !== ANONYMOUS_USER;
      return isKnown ? ALLOWED : { kind: "refused", user: user.name, reason: "" };
    }
    const verb = (request.method ?? "GET").toLowerCase();
    const decision = await this.authorizer.authorize({ kind: "nonResource", user, verb, path });
    return decision.kind === "allow" ? ALLOWED : { kind: "refused", user: user.name, reason: decision.reason };
  }

  private methods({ clients, proxies }: TrustedAuthorities): Authenticator {
    const { authentication } = this.clients;
    const methods = [
      ...(proxies === undefined ? [] : [new RequestHeaderAuthenticator(proxies)]),
      ...(clients === "" ? [] : [new ClientCertificateAuthenticator({ caPem: clients })]),
      ...(authentication === undefined ? [] : [this.tokens(authentication)]),
    ];
    return unionOf(methods, anonymous);
  }

  private tokens(client: Client): Authenticator {
    const { config, vocabulary, log } = this.parts;
    const rememberedMs = config["authentication-token-webhook-cache-ttl"];
    const webhook = new WebhookTokens(
      { version: "v1", rememberedMs, audiences: [] },
      {
        ...{ vocabulary, clock: systemClock, chance: Math.random, isTransient },
        ask: (review, timeoutMs) => reviewed(client, reviewType(vocabulary, "authentication"), { review, timeoutMs }),
        inForce: () => () => true,
        codeOf: (error) => (error instanceof StatusError ? String(error.code) : "<error>"),
        observer: {
          asked: () => {},
          failed: (error) => log.warn("cannot review tokens", { error: error.message }),
        },
      },
    );
    return bearerTokenAuthenticator(rememberedWebhook(webhook, systemClock));
  }

  private reviewed(client: Client): Authorizer {
    const { config, vocabulary } = this.parts;
    const type = reviewType(vocabulary, "authorization");
    return new WebhookAuthorizer(
      {
        version: "v1",
        authorizedTtlMs: config["authorization-webhook-cache-authorized-ttl"],
        unauthorizedTtlMs: config["authorization-webhook-cache-unauthorized-ttl"],
        failurePolicy: "NoOpinion",
        timeoutMs: REVIEW_TIMEOUT_MS,
      },
      {
        ...{ vocabulary, clock: systemClock, chance: Math.random, isTransient },
        ask: (review) => reviewed(client, type, { review, timeoutMs: REVIEW_TIMEOUT_MS }),
      },
    );
  }
}

const isTransient = (error: unknown): boolean => [429, 500, 504].some((code) => isCode(error, code));

async function reviewed(
  client: Client,
  type: ResourceType<JsonObject>,
  { review, timeoutMs }: { readonly review: string; readonly timeoutMs: number },
): Promise<string> {
  const { status: _, ...asked } = JSON.parse(review) as JsonObject;
  return JSON.stringify(await client.resource(type).create(asked, { timeoutMs }));
}

const REVIEWS = {
  authentication: { resource: "tokenreviews", kind: "TokenReview" },
  authorization: { resource: "subjectaccessreviews", kind: "SubjectAccessReview" },
} as const;

const reviewType = (vocabulary: Vocabulary, of: keyof typeof REVIEWS): ResourceType<JsonObject> => ({
  group: groupName(vocabulary, of),
  version: "v1",
  namespaced: false,
  ...REVIEWS[of],
});

function clientBy(
  option: "authentication-kubeconfig" | "authorization-kubeconfig",
  { config, vocabulary, log }: AccessParts,
): Client | undefined {
  const path = config[option];
  if (path === "") return undefined;
  try {
    return new Client({
      connection: loadConnection({ path, vocabulary: vocabulary.name }),
      vocabulary: vocabulary.name,
      program: vocabulary.programs.controllerManager,
      component: option.split("-")[0] as string,
      rateLimit: { perSecond: 0, burst: 0 },
      log,
      onWarning: () => {},
    });
  } catch (error) {
    throw new Error(`--${option}: ${(error as Error).message}`, { cause: error });
  }
}

const isAmong = (paths: readonly string[], path: string): boolean =>
  paths.some((each) => (each.endsWith("*") ? path.startsWith(each.slice(0, -1)) : path === each));

const LOOPBACK = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);

const isFromThisMachine = ({ socket }: IncomingMessage): boolean => LOOPBACK.has(socket.remoteAddress ?? "");

/** Peer certificates by connection: findings are cached by certificate object. */
const certificates = new WeakMap<object, X509Certificate | undefined>();

function questionOf(request: IncomingMessage, path: string): AuthenticationRequest {
  const socket = request.socket as TLSSocket;
  return {
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    path,
    audiences: [],
    connection: {
      address: socket.remoteAddress ?? "",
      peerCertificate() {
        if (!certificates.has(socket)) certificates.set(socket, socket.getPeerX509Certificate());
        return certificates.get(socket);
      },
    },
    signal: NEVER_ENDS,
    isFromThisMachine: () => isFromThisMachine(request),
  };
}
