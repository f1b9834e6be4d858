// Relays an upgraded connection: once the backend has accepted the upgrade, bytes pass both ways unchanged. Source:
// staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { answered, type UpgradedConnection } from "@orch/http-server";
import { badRequest, type StatusError, unclassified } from "@orch/machinery";
import { observeResponse } from "@orch/platform";
import { type ApiResponse, answerError } from "@orch/request";
import { answerHeaders, upgradeAnswerHeaders } from "./answer-headers";
import { type Backend, type BackendRequest, openRequest } from "./backend";
import type { ConnectRequest } from "./connect-request";
import { bindLives, streamResponse } from "./response-stream";

type Failed = (message: string) => StatusError;

/** Timeout for the backend's answer to the upgrade. */
const ANSWER_TIMEOUT_MS = 30_000;
/** Time for the last bytes to leave after the other side has closed. */
const LAST_BYTES_MS = 10_000;

/**
 * @param failed reports a failure to the client. Default: InternalError (500)
 * @throws StatusError BadRequest (400) for a request without an upgrade
 */
export function relayUpgrade(
  { request, response }: Pick<ConnectRequest, "request" | "response">,
  backend: Backend,
  { path, headers }: Pick<BackendRequest, "path" | "headers">,
  failed: Failed = unclassified,
): void {
  const client = request.upgraded;
  if (client === undefined) throw badRequest("Upgrade request required");
  const upstream = openRequest(backend, { method: request.context.info.method, path, headers });
  const bound = setTimeout(() => {
    upstream.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS / 1000} s`));
  }, ANSWER_TIMEOUT_MS);
  bindLives(upstream, response);
  upstream.on("close", () => clearTimeout(bound));
  observeResponse(upstream, {
    failed: (error) => {
      // A request whose proxy opens no connection emits no "close".
      clearTimeout(bound);
      answerError(response, failed(`error dialing backend: ${error.message}`));
    },
    upgraded: (answer, socket, head) => {
      clearTimeout(bound);
      const agreed = attempt(response, failed, () => agree(response, answer));
      if (agreed) splice(client, { socket, head }, response);
      else socket.destroy();
    },
    answered: (answer) => {
      clearTimeout(bound);
      if (!attempt(response, failed, () => refuse(answer, response, failed))) answer.destroy();
    },
  });
  upstream.end();
}

/** Parsed headers may be invalid for writing. @returns whether it succeeded; otherwise the client has been answered */
function attempt(response: ApiResponse, failed: Failed, pass: () => void): boolean {
  if (answered(response)) return false;
  try {
    pass();
    return true;
  } catch {
    answerError(response, failed("error dialing backend: its answer cannot be forwarded"));
    return false;
  }
}

function agree(response: ApiResponse, answer: IncomingMessage): void {
  response.sendDate = false;
  response.writeHead(101, answer.statusMessage ?? "", upgradeAnswerHeaders(answer.rawHeaders, vocabularyOf(response)));
  response.flushHeaders();
}

function refuse(answer: IncomingMessage, response: ApiResponse, failed: Failed): void {
  const code = answer.statusCode ?? 0;
  if (code < 400) {
    answer.destroy();
    answerError(response, failed(`invalid upgrade response: status code ${code}`));
    return;
  }
  streamResponse(answer, response, { code, headers: answerHeaders(answer.rawHeaders, vocabularyOf(response)) });
}

const vocabularyOf = ({ req }: ApiResponse) => req.context.negotiation.schema.vocabulary;

/** Passes bytes both ways until one side ends; the other then receives what is still buffered. */
function splice(client: UpgradedConnection, backend: UpgradedConnection, response: ApiResponse): void {
  const sides = [client.socket, backend.socket];
  const end = () => {
    for (const side of sides) side.destroy();
  };
  let lastBytes: NodeJS.Timeout | undefined;
  for (const side of sides) {
    side.on("error", end);
    side.on("close", () => {
      clearTimeout(lastBytes);
      setImmediate(end);
    });
    side.on("end", () => {
      lastBytes ??= setTimeout(end, LAST_BYTES_MS);
    });
  }
  const { context } = response.req;
  context.stream = { end };
  backend.socket.on("data", (piece: Buffer) => {
    context.responseBytes += piece.length;
  });
  join(client, backend.socket);
  join(backend, client.socket);
}

function join({ socket, head }: UpgradedConnection, to: Duplex): void {
  if (head.length > 0) to.write(head);
  socket.pipe(to);
}
