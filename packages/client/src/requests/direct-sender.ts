// Requests whose responses are passed on unchanged, and upgraded connections, with the credentials of a client.
import { createHash, randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { receivedStatusError } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import { type JsonValue, readJson } from "@orch/schema";
import type { Credentials } from "../connection/credential-parts";
import { authorizationOf } from "../connection/credentials";
import type { DirectAnswer, DirectRequest, DirectRequests } from "../transport/direct-requests";
import { readBytes } from "../transport/read-body";
import { ConnectionError } from "../transport/transport";
import type { UpgradedConnection, UpgradeRequest } from "../transport/upgraded-connection";
import { type RequestBound, requestBound } from "./request-bound";

export interface StreamedRequest {
  /** Default: GET. */
  readonly method?: string;
  /** Path with query, below the server's URL. */
  readonly path: string;
  /** Headers beside those of the client, which take precedence. Names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | Readable;
  /** Ends the request, and the response while it is being read. */
  readonly signal?: AbortSignal;
  /** Timeout until the response begins. Default: that of the client. */
  readonly timeoutMs?: number;
}

export interface StreamedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Must be read to its end or destroyed. */
  readonly body: Readable;
}

export interface DirectSenderDeps {
  readonly direct: DirectRequests;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly pathPrefix: string;
  readonly timeoutMs: number;
}

/** Maximum size of the answer to a refused upgrade. */
const REFUSAL_MAX_BYTES = 1024 * 1024;
const WEB_SOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export class DirectSender {
  constructor(private readonly deps: DirectSenderDeps) {}

  /** @throws ConnectionError, TimeoutError, the signal's reason, Error when credentials are unavailable */
  async streamed({ method = "GET", headers = {}, ...request }: StreamedRequest): Promise<StreamedResponse> {
    const found = await this.sent({ ...request, method, headers });
    if (found.kind === "upgrade") {
      found.socket.destroy();
      throw new ConnectionError(`the server upgraded the connection for ${request.path}, which was not requested`);
    }
    const { answer } = found;
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
  }

  /** @throws StatusError when the server refuses the upgrade; else as `streamed` */
  upgraded(request: UpgradeRequest): Promise<UpgradedConnection> {
    return request.to === "websocket" ? this.webSocket(request) : this.spdy(request);
  }

  private async webSocket({ protocols, to, ...request }: UpgradeRequest): Promise<UpgradedConnection> {
    const key = randomBytes(16).toString("base64");
    const { answer, socket, head } = await this.switched(
      { ...request, method: "GET" },
      {
        upgrade: to,
        "sec-websocket-version": "13",
        "sec-websocket-key": key,
        "sec-websocket-protocol": protocols.join(", "),
      },
    );
    const protocol = answer.headers["sec-websocket-protocol"] ?? "";
    const accept = createHash("sha1").update(`${key}${WEB_SOCKET_GUID}`).digest("base64");
    const isOffered = protocol === "" || protocols.includes(protocol);
    if (answer.headers["sec-websocket-accept"] === accept && isOffered) return { socket, head, protocol };
    socket.destroy();
    throw new ConnectionError(`the server's answer to ${request.path} is not a WebSocket handshake with its protocols`);
  }

  private async spdy({ protocols, to, ...request }: UpgradeRequest): Promise<UpgradedConnection> {
    const headers = { upgrade: to, "x-stream-protocol-version": protocols };
    const { answer, socket, head } = await this.switched({ ...request, method: "POST" }, headers);
    return { socket, head, protocol: String(answer.headers["x-stream-protocol-version"] ?? "") };
  }

  private async switched(
    request: Pick<UpgradeRequest, "path" | "signal" | "timeoutMs"> & { readonly method: string },
    headers: Readonly<Record<string, string | readonly string[]>>,
  ): Promise<Extract<DirectAnswer, { kind: "upgrade" }>> {
    const found = await this.sent({ ...request, headers: { connection: "Upgrade", ...headers } });
    if (found.kind === "upgrade") return found;
    throw await refusal(found.answer);
  }

  private async sent(
    request: Pick<StreamedRequest, "path" | "signal" | "timeoutMs" | "body"> &
      Pick<DirectRequest, "method" | "headers">,
  ): Promise<DirectAnswer> {
    const { clock, timeoutMs, pathPrefix, credentials, direct } = this.deps;
    const bound = requestBound(clock, request.timeoutMs ?? timeoutMs, request.signal);
    try {
      const token = await credentials.token();
      const authorization = authorizationOf(credentials, token);
      const found = await direct.send({
        method: request.method,
        path: pathPrefix + request.path,
        headers: { ...request.headers, ...this.deps.headers, ...(authorization && { authorization }) },
        body: request.body,
        signal: bound.signal,
      });
      if (found.answer.statusCode === 401) credentials.rejected(token);
      keep(found, bound);
      return found;
    } finally {
      bound.release();
    }
  }
}

/** Lets the caller's signal end the response, or the upgraded connection. */
function keep(found: DirectAnswer, bound: RequestBound): void {
  if (found.kind === "answer") {
    bound.liftFor(found.answer);
    return;
  }
  const { socket } = found;
  const stop = (): void => {
    socket.destroy();
  };
  bound.liftFor(socket);
  bound.signal.addEventListener("abort", stop);
  socket.once("close", () => bound.signal.removeEventListener("abort", stop));
}

async function refusal(answer: IncomingMessage): Promise<Error> {
  const code = answer.statusCode ?? 0;
  const text = (await readBytes(answer, REFUSAL_MAX_BYTES)).toString("utf8");
  if (code >= 400) return receivedStatusError(parsed(text), { code, text });
  return new ConnectionError(`the server answered the request for an upgrade with HTTP status ${code}`);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
