// Serves the log of a container from the kubelet of its node. Source: pkg/registry/core/pod/rest/log.go.

import type { IncomingMessage } from "node:http";
import { ByteSocket, byteProtocols, type Handshake, headersOf, webSocketHandshake } from "@orch/http-server";
import {
  badRequest,
  internalError,
  reasonOfCode,
  StatusError,
  serviceUnavailable,
  unclassified,
} from "@orch/machinery";
import { observeResponse } from "@orch/platform";
import { type ApiResponse, answerError, NO_QUERY } from "@orch/request";
import { openRequest } from "./backend";
import type { ConnectDeps, ConnectRequest } from "./connect-request";
import { chooseContainer } from "./container-choice";
import { parseLogOptions } from "./log-options";
import { bindLives, streamResponse } from "./response-stream";

/** Maximum size of a kubelet's error message. */
const FAILURE_MAX_BYTES = 50_000;

export async function passLog(deps: ConnectDeps, { request, response, info }: ConnectRequest): Promise<void> {
  const { key, query: asked = NO_QUERY } = info;
  const options = parseLogOptions(asked, {
    pod: key.name,
    vocabulary: deps.vocabulary,
  });
  const handshake = webSocketHandshake(request, response, byteProtocols(deps.vocabulary));
  const pod = await deps.objects.pod(key);
  const container = chooseContainer(pod, options.container);
  const { nodeName = "" } = pod.spec;
  if (nodeName === "") {
    response.writeHead(204, headersOf(response, ""));
    response.end();
    return;
  }
  const isVerified = !(options.unverified && deps.gates.AllowInsecureBackendProxy);
  deps.logsRead?.(isVerified ? "verified" : "unverified");
  const backend = await deps.agents.of(nodeName, isVerified);
  const place = [key.namespace, key.name, container].map(encodeURIComponent).join("/");
  const query = options.query.size === 0 ? "" : `?${options.query}`;
  const upstream = openRequest(backend, {
    method: "GET",
    path: `/containerLogs/${place}${query}`,
    headers: ["Host", backend.host, "Accept", "*/*"],
  });
  bindLives(upstream, response);
  observeResponse(upstream, {
    failed: (error) => {
      if (isCertificateError(error)) deps.logsRead?.("tlsFailed");
      answerError(response, serviceUnavailable(`error trying to reach service: ${error.message}`));
    },
    answered: (answer) => {
      pass(answer, response, handshake).catch(() => {
        answer.destroy();
        response.destroy();
      });
    },
  });
  upstream.end();
}

/** Codes of errors about the certificate of a server. Alerts are about the one of the client. */
const CERTIFICATE_ERRORS =
  /^(?!.*ALERT).*(CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER|INVALID_CA|HOSTNAME_MISMATCH)/;

const isCertificateError = ({ code = "" }: NodeJS.ErrnoException): boolean => CERTIFICATE_ERRORS.test(code);

/** A log is plain text; browsers must not interpret it otherwise. */
const LOG_HEADERS = { "content-type": "text/plain", "x-content-type-options": "nosniff" };

async function pass(answer: IncomingMessage, response: ApiResponse, handshake: Handshake | undefined): Promise<void> {
  const code = answer.statusCode ?? 0;
  if (code < 200 || code > 206) answerError(response, await failureOf(answer, code));
  else if (handshake !== undefined) passMessages(answer, response, handshake);
  else streamResponse(answer, response, { code: 200, headers: LOG_HEADERS });
}

/** Sends the log over a WebSocket. The first message is empty and marks the start of the log. */
function passMessages(answer: IncomingMessage, response: ApiResponse, handshake: Handshake): void {
  const to = ByteSocket.open(response, handshake);
  const { context } = response.req;
  to.send(Buffer.alloc(0), false);
  answer.on("data", (piece: Buffer) => {
    context.responseBytes += piece.length;
    if (!to.send(piece, false)) answer.pause();
  });
  to.socket.on("drain", () => answer.resume());
  answer.on("end", () => to.close());
  // A log that breaks off must not look complete.
  answer.on("error", () => to.breakOff());
  context.stream = {
    end() {
      answer.destroy();
      to.close();
    },
  };
}

async function failureOf(answer: IncomingMessage, code: number): Promise<StatusError> {
  if (code >= 300 && code < 400) {
    answer.destroy();
    return unclassified("redirects forbidden");
  }
  const text = await beginning(answer);
  switch (code) {
    case 500:
      return internalError(text);
    case 400:
      return badRequest(text);
    default:
      return new StatusError(
        reasonOfCode(code),
        text || `the node agent answered with HTTP status ${code}`,
        undefined,
        { code },
      );
  }
}

/** Returns what was received, even when the answer breaks off. */
async function beginning(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= FAILURE_MAX_BYTES) break;
    }
  } catch {
    // The client receives the kubelet's error message as far as it was received.
  }
  return Buffer.concat(pieces).subarray(0, FAILURE_MAX_BYTES).toString();
}
