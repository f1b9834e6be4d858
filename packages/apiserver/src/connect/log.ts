// A container's log, from the agent of the node that it runs on. Source: facts, apiserver-hooks.md "Log response".

import type { IncomingMessage } from "node:http";
import {
  badRequest,
  internalError,
  reasonOfCode,
  StatusError,
  serviceUnavailable,
  unclassified,
} from "@orch/machinery";
import { hearAnswer } from "@orch/platform";
import { headersOf } from "../http/answer";
import { ByteSocket, byteProtocols, type Handshake, webSocketHandshake } from "../http/web-socket";
import type { ApiResponse } from "../pipeline/request-context";
import { NO_QUERY } from "../pipeline/request-info";
import { answerError } from "../representations/error-answer";
import { bindLives, passAnswer } from "./answer-passing";
import { openRequest } from "./backend";
import type { ConnectDeps, ConnectRequest } from "./connect-request";
import { chooseContainer } from "./container-choice";
import { parseLogOptions } from "./log-options";

/** Of what an agent says when it fails. */
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
  const backend = await deps.agents.of(nodeName, !(options.unverified && deps.gates.AllowInsecureBackendProxy));
  const place = [key.namespace, key.name, container].map(encodeURIComponent).join("/");
  const query = options.query.size === 0 ? "" : `?${options.query}`;
  const upstream = openRequest(backend, {
    method: "GET",
    path: `/containerLogs/${place}${query}`,
    headers: ["Host", backend.host, "Accept", "*/*"],
  });
  bindLives(upstream, response);
  hearAnswer(upstream, {
    failed: (error) => answerError(response, serviceUnavailable(`error trying to reach service: ${error.message}`)),
    answered: (answer) => {
      pass(answer, response, handshake).catch(() => {
        answer.destroy();
        response.destroy();
      });
    },
  });
  upstream.end();
}

/** What a container writes is text, and no browser is to find anything else in it. */
const LOG_HEADERS = { "content-type": "text/plain", "x-content-type-options": "nosniff" };

async function pass(answer: IncomingMessage, response: ApiResponse, handshake: Handshake | undefined): Promise<void> {
  const code = answer.statusCode ?? 0;
  if (code < 200 || code > 206) answerError(response, await failureOf(answer, code));
  else if (handshake !== undefined) passMessages(answer, response, handshake);
  else passAnswer(answer, response, { code: 200, headers: LOG_HEADERS });
}

/** Over a WebSocket. The first message is empty: it says that the log is there. */
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
  // What breaks off must not look like what has ended.
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
      return new StatusError(reasonOfCode(code), text || `the node agent answered ${code}`, undefined, { code });
  }
}

/** What there is of it, if it breaks off. */
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
    // The agent's own failure is what the client is told, as far as it came.
  }
  return Buffer.concat(pieces).subarray(0, FAILURE_MAX_BYTES).toString();
}
