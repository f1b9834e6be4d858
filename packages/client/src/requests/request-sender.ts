// Sends requests: rate limit, credentials, safe retries, and failures as StatusError.

import type { Readable } from "node:stream";
import { receivedStatusError, StatusError } from "@orch/machinery";
import { type Clock, type Log, pause, pauseMsAfter, type RandomSource, type TokenBucket } from "@orch/platform";
import { type JsonValue, type OmittedMembers, readJson } from "@orch/schema";
import { type Impersonation, impersonationHeaders } from "../connection/connection-settings";
import type { Credentials } from "../connection/credential-parts";
import { authorizationOf } from "../connection/credentials";
import { readBody } from "../transport/read-body";
import { ConnectionError, type Transport, type TransportRequest, type TransportResponse } from "../transport/transport";
import { type ClientMetrics, NO_ANSWER, placeOf } from "./client-metrics";
import { readJsonBytes } from "./read-json";
import { type RequestBound, requestBound } from "./request-bound";
import type { WarningHandler } from "./warnings";
import { warningTexts } from "./warnings";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with query, below the server's URL. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  /** Media type of the body. */
  readonly contentType?: string;
  /** Accepted media types; default: JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout until the whole response has arrived, including all attempts; for a stream, until it begins. Default: that
   * of the client.
   */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of the response; a longer one is a ConnectionError. Default: no limit. */
  readonly answerMaxBytes?: number | undefined;
  /** Members left out of the response's JSON. */
  readonly omitted?: OmittedMembers | undefined;
}

export interface SenderDeps {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly rateLimit: TokenBucket;
  readonly clock: Clock;
  readonly chance: RandomSource;
  readonly log: Log;
  readonly onWarning: WarningHandler;
  readonly metrics?: ClientMetrics | undefined;
}

export interface SenderOptions {
  readonly userAgent: string;
  readonly server: URL;
  /** Group of metadata-only forms such as PartialObjectMetadata. */
  readonly metaGroup: string;
  /** Path of the server's URL, without a trailing slash. */
  readonly pathPrefix: string;
  readonly impersonation: Impersonation | undefined;
  readonly timeoutMs: number;
}

/** Maximum of client-go. Source: staging/src/k8s.io/client-go/rest/request.go. */
const RETRIES_MAX = 10;
/** A longer Retry-After is returned to the caller. */
const RETRY_AFTER_MAX_MS = 30_000;
const CONNECTION_RETRIES_MAX = 3;
const CONNECTION_PAUSES = { firstMs: 200, maxMs: 800 };
/** Longer delays by the rate limit are logged. */
const SHORT_WAIT_MS = 50;

export class RequestSender {
  private readonly fixedHeaders: Readonly<Record<string, string | string[]>>;

  constructor(
    private readonly deps: SenderDeps,
    private readonly options: SenderOptions,
  ) {
    this.fixedHeaders = {
      "user-agent": options.userAgent,
      ...(options.impersonation === undefined ? {} : impersonationHeaders(options.impersonation)),
    };
  }

  /**
   * Returns the parsed body.
   * @throws StatusError for error responses; ConnectionError; TimeoutError; the signal's reason
   */
  async json(request: ApiRequest): Promise<JsonValue> {
    const bytes = await this.retried(request, async (bound) =>
      (await this.send(request, bound)).body.bytes(request.answerMaxBytes),
    );
    try {
      return await readJsonBytes(bytes, request.omitted);
    } catch (cause) {
      throw new ConnectionError(`the answer to ${request.method} ${request.path} is not JSON`, { cause });
    }
  }

  /** Returns the media types of an object or a list with only metadata. */
  metadataTypes(of: "object" | "list"): string {
    const kind = of === "object" ? "PartialObjectMetadata" : "PartialObjectMetadataList";
    return `application/json;as=${kind};g=${this.options.metaGroup};v=v1,application/json`;
  }

  /** Returns the body as text. Throws like `json`. */
  text(request: ApiRequest): Promise<string> {
    return this.retried(request, async (bound) =>
      readBody((await this.send(request, bound)).body, request.answerMaxBytes),
    );
  }

  /**
   * Returns the body as a stream once the headers have arrived. Ending the signal ends the body. Throws like `json`.
   */
  stream(request: ApiRequest): Promise<Readable> {
    return this.retried(request, async (bound) => {
      const body = (await this.send(request, bound, true)).body.stream();
      bound.liftFor(body);
      return body;
    });
  }

  close(): void {
    this.deps.transport.close();
  }

  /**
   * Retries requests that were certainly not processed, that change nothing, or that the server asks to repeat, all
   * within one timeout.
   */
  private async retried<Answer>(request: ApiRequest, send: (bound: RequestBound) => Promise<Answer>): Promise<Answer> {
    const bound = requestBound(this.deps.clock, request.timeoutMs ?? this.options.timeoutMs, request.signal);
    const tries = { refused: 0, lost: 0 };
    try {
      for (;;) {
        await this.untilAllowed(request, bound.signal);
        try {
          return await send(bound);
        } catch (thrown) {
          if (bound.signal.aborted) throw bound.signal.reason;
          const waitMs = this.pauseBeforeRetry(thrown, request.method, tries);
          if (waitMs === undefined) throw thrown;
          await pause(this.deps.clock, waitMs, bound.signal);
        }
      }
    } finally {
      bound.release();
    }
  }

  /** Returns the delay before a retry. @returns milliseconds; undefined: the error is returned to the caller */
  private pauseBeforeRetry(
    error: unknown,
    method: ApiRequest["method"],
    tries: { refused: number; lost: number },
  ): number | undefined {
    const askedMs = retryAfterMs(error);
    if (askedMs !== undefined && tries.refused < RETRIES_MAX) {
      tries.refused += 1;
      return askedMs;
    }
    if (!mayBeSentAgain(error, method) || tries.lost >= CONNECTION_RETRIES_MAX) return undefined;
    const waitMs = pauseMsAfter(CONNECTION_PAUSES, tries.lost) * (0.5 + this.deps.chance() / 2);
    tries.lost += 1;
    return waitMs;
  }

  private async untilAllowed({ method, path }: ApiRequest, signal: AbortSignal): Promise<void> {
    const waitMs = this.deps.rateLimit.reserve();
    this.deps.metrics?.heldBack(placeOf(this.options.server, method, path), Math.max(waitMs, 0) / 1000);
    if (waitMs <= 0) return;
    if (waitMs > SHORT_WAIT_MS) {
      this.deps.log.info("waiting for the client's own rate limit", { waitMs: Math.round(waitMs) });
    }
    try {
      await pause(this.deps.clock, waitMs, signal);
    } catch (error) {
      this.deps.rateLimit.giveBack();
      throw error;
    }
  }

  private async send(request: ApiRequest, { signal }: RequestBound, isWatch = false): Promise<TransportResponse> {
    const token = await this.deps.credentials.token();
    const headers: Record<string, string | string[]> = {
      ...this.fixedHeaders,
      accept: request.accept ?? "application/json",
    };
    const authorization = authorizationOf(this.deps.credentials, token);
    if (authorization !== undefined) headers["authorization"] = authorization;
    if (request.body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
    const response = await this.counted(request, {
      method: request.method,
      path: this.options.pathPrefix + request.path,
      headers,
      signal,
      isWatch,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    for (const text of warningTexts(response.headers["warning"])) this.deps.onWarning(text);
    if (response.status < 300) return response;
    if (response.status === 401) this.deps.credentials.rejected(token);
    throw await statusErrorOf(response, request.answerMaxBytes);
  }

  private async counted({ method, path }: ApiRequest, sent: TransportRequest): Promise<TransportResponse> {
    const { transport, metrics, clock } = this.deps;
    if (metrics === undefined) return transport.send(sent);
    const since = clock.elapsed();
    let code = NO_ANSWER;
    try {
      const response = await transport.send(sent);
      code = String(response.status);
      return response;
    } finally {
      metrics.tried(placeOf(this.options.server, method, path), code, (clock.elapsed() - since) / 1000, path);
    }
  }
}

const RETRY_AFTER = Symbol("retryAfterMs");

/** Maximum size of an error response: many times that of any API server, whose messages may quote an object. */
const ERROR_MAX_BYTES = 32 * 1024 * 1024;

async function statusErrorOf(response: TransportResponse, maxBytes = ERROR_MAX_BYTES): Promise<StatusError> {
  const text = await readBody(response.body, maxBytes);
  const error = receivedStatusError(parsed(text), { code: response.status, text });
  const seconds = Number(response.headers["retry-after"]);
  if (response.headers["retry-after"] !== undefined && seconds >= 0)
    Object.assign(error, { [RETRY_AFTER]: seconds * 1000 });
  return error;
}

/** Returns the delay of the Retry-After header, if it allows a retry. */
function retryAfterMs(error: unknown): number | undefined {
  if (!(error instanceof StatusError) || (error.code !== 429 && error.code < 500)) return undefined;
  const askedMs = (error as { [RETRY_AFTER]?: number })[RETRY_AFTER];
  return askedMs === undefined || askedMs > RETRY_AFTER_MAX_MS ? undefined : askedMs;
}

/** Codes of failures that another try would meet as well, and that a person should see at once. */
const LASTING = new Set(["ECONNREFUSED", "EPROXYREFUSED"]);

function mayBeSentAgain(error: unknown, method: ApiRequest["method"]): boolean {
  return error instanceof ConnectionError && !LASTING.has(error.code ?? "") && (error.notProcessed || method === "GET");
}

function parsed(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
