// Requests that ask for an upgrade come as an event of their own, without a response. Here each is given one, so that they go
// through the same steps as all others, and are answered by them unless somebody takes the connection over.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import type { Failures } from "./failures";
import { RequestTurns } from "./request-turns";

/** A connection on which HTTP is over. */
export interface UpgradedConnection {
  readonly socket: Duplex;
  /** What has come in after the request's head. */
  readonly head: Buffer;
  /** Somebody answers on it past the response. */
  isTaken?: boolean;
}

/** What is needed to answer such requests like others. */
export interface UpgradeParts {
  /** Of the application; see http-classes.ts. */
  readonly Response: typeof ServerResponse;
  readonly failures: Failures;
  /** Must not throw. */
  listener(request: ApiRequest, response: ApiResponse): void;
}

export function upgradeListener(parts: UpgradeParts): (request: ApiRequest, socket: Duplex, head: Buffer) => void {
  return (request, socket, head) => {
    request.upgraded = { socket, head };
    answerLast(parts, request);
  };
}

/** CONNECT, for which the same holds, though nothing can be upgraded. */
export function connectListener(parts: UpgradeParts): (request: ApiRequest, socket: Duplex | ApiResponse) => void {
  return (request, socket) => {
    // HTTP/2 brings a response.
    if ("writeHead" in socket) parts.listener(request, socket);
    else answerLast(parts, request);
  };
}

/** After all requests that came before it. */
function answerLast({ Response, failures, listener }: UpgradeParts, request: ApiRequest): void {
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

/** The connection is of no use for further requests: nobody reads them. */
function lastResponse(Response: typeof ServerResponse, request: ApiRequest): ApiResponse {
  const { socket } = request;
  const response = new Response(request) as ApiResponse;
  response.shouldKeepAlive = false;
  response.on("finish", () => socket.destroySoon());
  noticeEnd(response, socket);
  return response;
}

/** Where nothing is upgraded, nobody reads the connection, and nobody would hear of its end. */
function noticeEnd(response: ApiResponse, socket: Socket): void {
  const writeHead = response.writeHead.bind(response) as (code: number, ...rest: unknown[]) => ApiResponse;
  response.writeHead = ((code: number, ...rest: unknown[]) => {
    if (code !== SWITCHING) socket.resume();
    return writeHead(code, ...rest);
  }) as typeof response.writeHead;
}

const SWITCHING = 101;

/** Nothing else looks after the connection from here on, while earlier requests may still be answered. */
function afterAnswers(socket: Socket, act: () => void): void {
  const turns = RequestTurns.of(socket);
  if ((turns.answering as ApiResponse | undefined)?.req.context?.info.longRunning === true) {
    // It would wait for ever, and nobody would hear of the connection's end.
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
