// Authentication step. Most requests are authenticated synchronously, from what is known of their connection or token.

import type { X509Certificate } from "node:crypto";
import type { Http2ServerRequest } from "node:http2";
import type { TLSSocket } from "node:tls";
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  type Authenticator,
  type PeerConnection,
  UNAUTHENTICATED_GROUP,
} from "@orch/auth";
import { tooManyRequests, unauthorized } from "@orch/machinery";
import type { Logger, ServerMetrics } from "@orch/observability";
import type { EndSignal } from "@orch/platform";
import type { ApiRequest, ApiResponse, Middleware } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import { recordCredentialUse } from "./credential-use";
import { isFromThisMachine } from "./from-this-machine";

export interface AuthenticationDeps {
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly vocabulary: Vocabulary;
  /** Called for each refused request. */
  unauthenticated?(response: ApiResponse): void;
}

export function authentication(deps: AuthenticationDeps): Middleware {
  const { authenticator, logger } = deps;
  const attempts = deps.metrics.counter("authentication_attempts");
  const seconds = deps.metrics.histogram("authentication_duration_seconds");
  const success = { count: attempts.labels("success"), seconds: seconds.labels({ result: "success" }) };
  const failure = { count: attempts.labels("failure"), seconds: seconds.labels({ result: "failure" }) };
  const error = { count: attempts.labels("error"), seconds: seconds.labels({ result: "error" }) };
  const ofFilter = deps.metrics
    .histogram("apiserver_request_filter_duration_seconds")
    .labels({ filter: "authentication" });
  const users = userCounts(deps);

  function settle(response: ApiResponse, outcome: AuthenticationOutcome, startedMs: number): void {
    const request = response.req;
    const { context } = request;
    const tookSeconds = (performance.now() - startedMs) / 1000;
    ofFilter.observe(tookSeconds);
    if (outcome.kind !== "authenticated") {
      const result = outcome.kind === "failed" ? error : failure;
      result.count.inc();
      result.seconds.observe(tookSeconds);
      const { id, info } = context;
      if (logger.logsRequests) {
        const reason = outcome.kind === "failed" ? outcome.reason : "no credentials";
        logger.access("authentication failed", { requestId: id, path: info.path, reason });
      }
      if (outcome.kind === "failed") recordCredentialUse(request, outcome);
      deps.unauthenticated?.(response);
      if (outcome.kind === "failed" && outcome.isOverload) throw tooManyRequests(OVERLOAD, { retryAfterSeconds: 1 });
      throw unauthorized();
    }
    success.count.inc();
    success.seconds.observe(tookSeconds);
    users(outcome.user.name);
    context.user = outcome.user;
    const notes = outcome.used?.();
    if (notes !== undefined) recordCredentialUse(request, notes);
    const { connection } = context;
    if (!connection.known && !outcome.user.groups.includes(UNAUTHENTICATED_GROUP)) connection.recognize();
  }

  return (request, response, next) => {
    const startedMs = performance.now();
    const outcome = authenticator.authenticate(new Credentials(request));
    if (!(outcome instanceof Promise)) {
      settle(response, outcome, startedMs);
      next();
      return;
    }
    outcome.then((late) => settle(response, late, startedMs)).then(() => next(), next);
  };
}

/**
 * Counts requests per user. Few users have a label value of their own, because names are client input. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/filters/metrics.go.
 */
function userCounts({ metrics, vocabulary }: AuthenticationDeps): (name: string) => void {
  const counter = metrics.counter("authenticated_user_requests");
  const { legacyProxy, nodeagent, systemServiceAccountPrefix } = vocabulary.users;
  const own = ["admin", "client", legacyProxy, nodeagent, `${systemServiceAccountPrefix}default`];
  const known = new Map(own.map((name) => [name, counter.labels(name)]));
  const email = counter.labels("email_id");
  const other = counter.labels("other");
  return (name) => (known.get(name) ?? (name.includes("@") ? email : other)).inc();
}

/** Does not depend on the credential. */
const OVERLOAD = "too many credentials are being verified: try again later";

const peers = new WeakMap<object, Peer>();

/** The credentials of a request. */
class Credentials implements AuthenticationRequest {
  constructor(private readonly request: ApiRequest) {}

  get headers(): ApiRequest["headers"] {
    return this.request.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders;
  }

  get path(): string {
    return this.request.context.info.path;
  }

  /** Audiences of this server. */
  get audiences(): readonly string[] {
    return NONE;
  }

  get signal(): EndSignal {
    return this.request.context.end;
  }

  get connection(): PeerConnection {
    const { request } = this;
    const connection = connectionOf(request);
    let peer = peers.get(connection);
    if (peer === undefined) {
      peer = new Peer(request.socket as TLSSocket);
      peers.set(connection, peer);
    }
    return peer;
  }

  isFromThisMachine(): boolean {
    return isFromThisMachine(this.request);
  }
}

const NONE: readonly string[] = [];

/** The TLS peer, read once per connection. Does not refer to the socket, which would keep both alive. */
class Peer implements PeerConnection {
  readonly address: string;
  private readonly certificate: X509Certificate | undefined;

  constructor(socket: TLSSocket) {
    this.address = socket.remoteAddress ?? "";
    this.certificate = socket.getPeerX509Certificate?.();
  }

  peerCertificate(): X509Certificate | undefined {
    return this.certificate;
  }
}

/**
 * Returns an object that lives as long as the connection. Over HTTP/2 `request.socket` is a new proxy for every access.
 */
function connectionOf(request: ApiRequest): object {
  if (request.httpVersionMajor < 2) return request.socket; // 0 is what a request line without a version gives
  return (request as unknown as Http2ServerRequest).stream.session ?? request;
}
