// Forwards requests to an aggregated API server and returns its answers. The client is authenticated and authorized,
// and the request has its place in the flow control, before this step. Source: Kubernetes documentation, "Kubernetes
// API Aggregation Layer", "Configure the Aggregation Layer".
import type { ClientRequest, IncomingMessage } from "node:http";
import {
  type ExtensionServer,
  type ExtensionServers,
  identityHeaders,
  type RemoteRegistration,
  type TrustedHeaders,
} from "@orch/extensions";
import { answered } from "@orch/http-server";
import { isReason, StatusError, serviceUnavailable, timeout } from "@orch/machinery";
import { type LongWaits, observeResponse } from "@orch/platform";
import type { ApiRequest, ApiResponse } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import { answerHeaders } from "../connect/answer-headers";
import { type Backend, CONNECT_TIMEOUT_MS, openRequest } from "../connect/backend";
import { bodyFraming } from "../connect/body-framing";
import { requestHeaders, upgradeHeaders } from "../connect/forwarded-headers";
import { pairs, type RawHeaders } from "../connect/raw-headers";
import { bindLives, passFailure, streamResponse } from "../connect/response-stream";
import { relayUpgrade } from "../connect/upgrade-relay";

export interface RemoteRequestDeps {
  readonly vocabulary: Vocabulary;
  readonly servers: Pick<ExtensionServers, "of">;
  isAvailable(registration: RemoteRegistration): boolean;
  /** Header names by which aggregated API servers learn the user. */
  readonly trusted: () => TrustedHeaders;
  /** `--aggregator-reject-forwarding-redirect`. */
  readonly rejectsRedirects: boolean;
  /** Bound of the wait for an answer, for a request that holds a seat. */
  readonly waits: LongWaits;
  /** Called for each forwarded request that has not ended. */
  passed(registration: RemoteRegistration, response: ApiResponse): void;
}

export interface RemoteTarget {
  readonly registration: RemoteRegistration;
  /** Path as sent, with its query. */
  readonly path: string;
  /** Timeout for the response head. */
  readonly headTimeoutMs: number;
  /** Headers beside those of the client and of its user: names and values, alternating. */
  readonly headers?: readonly string[];
}

const UNAVAILABLE = "service unavailable";

/**
 * Resolves once the answer has begun. From then on the time depends on the client.
 * @throws StatusError ServiceUnavailable (503); InternalError (500) for certificates that cannot be used
 */
export async function passToServer(
  deps: RemoteRequestDeps,
  { request, response }: { readonly request: ApiRequest; readonly response: ApiResponse },
  target: RemoteTarget,
): Promise<void> {
  const { registration, headers: own = [] } = target;
  if (!deps.isAvailable(registration)) throw serviceUnavailable(UNAVAILABLE);
  const server = await serverOf(deps, registration);
  if (answered(response)) return;
  deps.passed(registration, response);
  const backend = backendOf(server);
  if (request.upgraded !== undefined) {
    const headers = headersFor(request, [...upgradeHeaders(request, deps.trusted()), ...own], server);
    relayUpgrade({ request, response }, backend, { path: target.path, headers }, serviceUnavailable);
    return;
  }
  const framing = bodyFraming(request);
  const headers = headersFor(request, [...requestHeaders(request, deps.trusted()), ...framing.headers, ...own], server);
  if (request.context.awaitsContinue) response.writeContinue();
  await new Exchange(deps, response, { ...target, backend, headers, hasBody: framing.hasBody }).run();
}

async function serverOf({ servers }: RemoteRequestDeps, registration: RemoteRegistration): Promise<ExtensionServer> {
  try {
    return await servers.of(registration);
  } catch (error) {
    if (isReason(error, "NotFound") || isReason(error, "ServiceUnavailable")) throw serviceUnavailable(UNAVAILABLE);
    throw error;
  }
}

const backendOf = ({ host, port, lookup, tls, agent, dialer }: ExtensionServer): Backend => ({
  scheme: "https",
  host,
  port,
  lookup,
  tls,
  agent,
  dialer,
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
});

/** Replaces any user headers of the client by those of this server. */
function headersFor({ context }: ApiRequest, sent: RawHeaders, { tls }: ExtensionServer): string[] {
  const passed = pairs(sent).filter(([name]) => {
    const key = name.toLowerCase();
    return key !== "host" && key !== "audit-id";
  });
  return ["Host", tls.servername, ...passed.flat(), "Audit-Id", context.id, ...identityHeaders(context.user)];
}

interface Passed extends RemoteTarget {
  readonly backend: Backend;
  readonly headers: readonly string[];
  readonly hasBody: boolean;
}

/** One forwarded request and its answer. */
class Exchange {
  private settled: () => void = () => undefined;
  private late: NodeJS.Timeout | undefined;

  constructor(
    private readonly deps: RemoteRequestDeps,
    private readonly response: ApiResponse,
    private readonly passed: Passed,
  ) {}

  run(): Promise<void> {
    return new Promise((resolve) => {
      const { end } = this.response.req.context;
      const wait = this.deps.waits.begin(end);
      this.settled = () => {
        this.deps.waits.end(wait);
        resolve();
      };
      end.addEventListener("abort", this.settled);
      this.send(true);
    });
  }

  /** @param mayRepeat whether to retry on a new connection when the kept connection turns out to be closed */
  private send(mayRepeat: boolean): void {
    const { backend, path, headers, hasBody, headTimeoutMs } = this.passed;
    const { response } = this;
    const { method } = response.req.context.info;
    let upstream: ClientRequest;
    try {
      upstream = openRequest(backend, { method, path, headers });
    } catch (error) {
      this.fail(error as Error);
      return;
    }
    bindLives(upstream, response);
    clearTimeout(this.late);
    this.late = setTimeout(() => {
      this.refuse(timeout(`the aggregated API server did not answer within ${headTimeoutMs / 1000} seconds`));
      upstream.destroy();
    }, headTimeoutMs);
    observeResponse(upstream, {
      failed: (error: NodeJS.ErrnoException) => {
        const isStale = upstream.reusedSocket && error.code === "ECONNRESET";
        if (isStale && mayRepeat && !hasBody && REPEATABLE.has(method) && !answered(response)) this.send(false);
        else this.fail(error);
      },
      answered: (answer) => {
        clearTimeout(this.late);
        this.passBack(answer);
        this.settled();
      },
    });
    if (hasBody) response.req.pipe(upstream);
    else upstream.end();
  }

  private passBack(answer: IncomingMessage): void {
    const { statusCode: code = 0, rawHeaders, headers } = answer;
    if (this.deps.rejectsRedirects && code >= 300 && code < 400 && headers.location !== undefined) {
      answer.destroy();
      this.refuse(
        new StatusError("", "the backend attempted to redirect this request, which is not permitted", undefined, {
          code: 502,
        }),
      );
      return;
    }
    try {
      streamResponse(answer, this.response, {
        code,
        headers: answerHeaders(rawHeaders, this.deps.vocabulary, undefined, WARNINGS),
      });
    } catch {
      answer.destroy();
      this.fail(new Error("its answer cannot be forwarded"));
    }
  }

  private fail(error: Error): void {
    this.refuse(serviceUnavailable(`error trying to reach service: ${error.message}`));
  }

  private refuse(error: StatusError): void {
    clearTimeout(this.late);
    passFailure(this.response, error);
    this.settled();
  }
}

/** Methods that may be repeated: the request had no effect when the connection was closed already. */
const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Warnings about the request; they are added to those of this server. */
const WARNINGS: ReadonlySet<string> = new Set(["warning"]);
