// Node.js reports upgrade requests by an event of their own, without a response. Here each gets one, so that it passes
// the same steps as other requests, and is answered by them unless a handler takes the connection over.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { HttpRequest, HttpResponse } from "./exchange";
import type { Failures } from "./failures";
import { RequestQueue } from "./request-queue";

/** Parts for answering such requests. */
export interface UpgradeParts {
  /** Response class of the application; see http-classes.ts. */
  readonly Response: typeof ServerResponse;
  readonly failures: Failures;
  /** Must not throw. */
  listener(request: HttpRequest, response: HttpResponse): void;
}

export function upgradeListener(parts: UpgradeParts): (request: HttpRequest, socket: Duplex, head: Buffer) => void {
  return (request, socket, head) => {
    request.upgraded = { socket, head };
    answerLast(parts, request);
  };
}

/** Handles CONNECT in the same way, without an upgrade. */
export function connectListener(parts: UpgradeParts): (request: HttpRequest, socket: Duplex | HttpResponse) => void {
  return (request, socket) => {
    // HTTP/2 provides a response.
    if ("writeHead" in socket) parts.listener(request, socket);
    else answerLast(parts, request);
  };
}

/** Answers after all earlier requests. */
function answerLast({ Response, failures, listener }: UpgradeParts, request: HttpRequest): void {
  const { socket } = request;
  socket.on("error", ignore);
  const response = lastResponse(Response, request);
  const start = () => {
    socket.setTimeout(0);
    response.assignSocket(socket);
    listener(request, response);
  };
  afterAnswers(
    socket,
    failures.guarded(start, () => void socket.destroy()),
  );
}

/** The connection is not read for further requests. */
function lastResponse(Response: typeof ServerResponse, request: HttpRequest): HttpResponse {
  const { socket } = request;
  const response = new Response(request) as HttpResponse;
  response.shouldKeepAlive = false;
  response.on("finish", () => socket.destroySoon());
  noticeEnd(response, socket);
  return response;
}

/** Detects the end of a connection that is not upgraded, and therefore not read. */
function noticeEnd(response: HttpResponse, socket: Socket): void {
  const writeHead = response.writeHead.bind(response) as (code: number, ...rest: unknown[]) => HttpResponse;
  response.writeHead = ((code: number, ...rest: unknown[]) => {
    if (code !== SWITCHING) socket.resume();
    return writeHead(code, ...rest);
  }) as typeof response.writeHead;
}

const SWITCHING = 101;

/** The connection has no other listeners while earlier requests are answered. */
function afterAnswers(socket: Socket, act: () => void): void {
  const turns = RequestQueue.of(socket);
  if ((turns.answering as HttpResponse | undefined)?.req.context?.info.longRunning === true) {
    // The request would wait forever, and the end of the connection would not be noticed.
    socket.destroy();
    return;
  }
  const passOn = () => turns.answering?.emit("drain");
  if (turns.answering !== undefined) socket.on("drain", passOn);
  turns.afterAnswers(() => {
    socket.off("drain", passOn);
    act();
  });
}

function ignore(): void {}
