// Handles connections whose input is not HTTP. It never reaches the pipeline; it is answered when possible, and the
// connection is closed.
import type { Socket } from "node:net";
import type { Status } from "@orch/machinery";
import type { HttpResponse } from "./exchange";
import { RequestQueue } from "./request-queue";

const ANSWERS: Readonly<Record<string, readonly [code: number, phrase: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

const ended = new WeakSet<Socket>();

/** A request of which only the request line could be read, and its answer. */
export interface UnreadRequest {
  readonly method: string;
  /** Target of the request line. */
  readonly target: string;
  /** Address of the remote end of the connection. */
  readonly address: string;
  readonly answer: Status;
}

interface BrokenRequestError extends NodeJS.ErrnoException {
  /** Attributes of the parser: the last bytes received, and how many of them were parsed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/**
 * @param error error of the parser, or a timeout of the request
 * @param unread called for each request that is answered here and has a request line
 */
export function answerBrokenRequest(
  error: BrokenRequestError,
  socket: Socket,
  unread: ((request: UnreadRequest) => void) | undefined,
): void {
  // Later errors of the same connection are ignored.
  if (ended.has(socket)) return;
  ended.add(socket);
  const turns = RequestQueue.of(socket);
  const answering = turns.answering as HttpResponse | undefined;
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (answering === undefined) answerAndClose(error, socket, unread);
  else if (!answering.req.complete) {
    // The error is in the rest of the request that is being answered.
    if (answering.headersSent) socket.destroy();
    else answerAndClose(error, socket, unread);
  } else if (answering.req.context?.info.longRunning === true && !answering.writableEnded) socket.destroy();
  else {
    // Earlier requests are answered first.
    socket.pause();
    turns.afterAnswers(() => {
      // The previous answer may have closed the connection.
      if (socket.writable) answerAndClose(error, socket, unread);
      else socket.destroy();
    });
  }
}

/** Whether a client sends plain HTTP to the TLS port. */
export const isPlainHttp = ({ code }: NodeJS.ErrnoException): boolean => code === "ERR_SSL_HTTP_REQUEST";

/**
 * Sends the same answer as the HTTP server of Go, which clients know.
 * @param raw the socket below TLS, on which nothing was sent yet
 */
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
    () => linger(socket),
  );
}

/** Milliseconds that a client has to read its answer and close the connection. */
const LINGER_MS = 1000;

/**
 * Discards input until the client closes the connection. Closing it while the client still sends its body would reset
 * it, and the client would lose the answer. Source: RFC 9112, section 9.6.
 */
function linger(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.once("end", () => socket.destroy());
  socket.resume();
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) ([!-~\x80-\xff]+)(?: HTTP\/\d\.\d)?\r?$/m;
const HEAD_END = "\r\n\r\n";

/**
 * Returns the request line of the request that failed to parse; undefined when the received bytes do not contain it.
 */
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
