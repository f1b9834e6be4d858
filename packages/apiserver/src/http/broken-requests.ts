// What cannot be read as HTTP never reaches the pipeline; it is answered as far as that is possible, and ends its connection.
import type { Socket } from "node:net";
import type { Status } from "@orch/machinery";
import type { HttpResponse } from "./exchange";
import { RequestTurns } from "./request-turns";

const ANSWERS: Readonly<Record<string, readonly [code: number, phrase: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

const ended = new WeakSet<Socket>();

/** A request of which no more than its first line could be read, and what it was answered. */
export interface UnreadRequest {
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  /** Of the connection's other end. */
  readonly address: string;
  readonly answer: Status;
}

interface BrokenRequestError extends NodeJS.ErrnoException {
  /** Of the parser: what has come last, and how much of it was read. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * @param error the parser's, or that the request did not come in time
 * @param unread told of each request that is answered here and has a first line
 */
export function answerBrokenRequest(
  error: BrokenRequestError,
  socket: Socket,
  unread: ((request: UnreadRequest) => void) | undefined,
): void {
  // What follows is broken as well.
  if (ended.has(socket)) return;
  ended.add(socket);
  const turns = RequestTurns.of(socket);
  const answering = turns.answering as HttpResponse | undefined;
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (answering === undefined) answerAndClose(error, socket, unread);
  else if (!answering.req.complete) {
    // It is the rest of the request that is being answered.
    if (answering.headersSent) socket.destroy();
    else answerAndClose(error, socket, unread);
  } else if (answering.req.context?.info.longRunning === true) socket.destroy();
  else {
    // Requests that came before it are answered before it.
    socket.pause();
    turns.afterAnswers(() => {
      // The answer before it may have been the last one.
      if (socket.writable) answerAndClose(error, socket, unread);
      else socket.destroy();
    });
  }
}

/** Whether a client speaks HTTP where TLS is spoken. */
export const isPlainHttp = ({ code }: NodeJS.ErrnoException): boolean => code === "ERR_SSL_HTTP_REQUEST";

/** The answer of the HTTP server of Go, which clients know. @param raw the socket below TLS, of which nothing was answered yet */
export function answerPlainHttp(raw: Socket): void {
  if (!raw.writable) {
    raw.destroy();
    return;
  }
  raw.end("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n", () => raw.destroy());
}

function answerAndClose(
  error: BrokenRequestError,
  socket: Socket,
  unread: ((request: UnreadRequest) => void) | undefined,
): void {
  const [code, phrase] = ANSWERS[error.code ?? ""] ?? [400, "Bad Request"];
  const answer: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `the request could not be read: ${phrase}`,
    reason: "BadRequest",
    code,
  };
  const body = JSON.stringify(answer);
  const line = unread === undefined ? undefined : requestLine(error);
  if (line !== undefined) unread?.({ ...line, address: socket.remoteAddress ?? "", answer });
  socket.end(
    `HTTP/1.1 ${code} ${phrase}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) ([!-~\x80-\xff]+)(?: HTTP\/\d\.\d)?\r?$/m;
const HEAD_END = "\r\n\r\n";

/** The first line of the request that the parser stopped in; undefined where the bytes at hand do not hold it. */
function requestLine({
  rawPacket,
  bytesParsed = 0,
}: BrokenRequestError): Pick<UnreadRequest, "method" | "target"> | undefined {
  if (rawPacket === undefined) return undefined;
  const text = rawPacket.toString("latin1");
  const before = text.lastIndexOf(HEAD_END, bytesParsed - 1);
  const rest = text.slice(before < 0 ? 0 : before + HEAD_END.length);
  const [, method, target] = REQUEST_LINE.exec(rest.slice(0, rest.indexOf("\n") + 1)) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}
