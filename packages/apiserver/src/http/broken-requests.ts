// What cannot be read as HTTP never reaches the pipeline; it is answered as far as that is possible, and ends its connection.
import type { Socket } from "node:net";
import type { ApiResponse } from "../pipeline/request-context";
import { RequestTurns } from "./request-turns";

const ANSWERS: Readonly<Record<string, readonly [code: number, phrase: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

const ended = new WeakSet<Socket>();

/** @param error the parser's, or that the request did not come in time */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // What follows is broken as well.
  if (ended.has(socket)) return;
  ended.add(socket);
  const turns = RequestTurns.of(socket);
  const answering = turns.answering as ApiResponse | undefined;
  if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
  else if (answering === undefined) answerAndClose(error, socket);
  else if (!answering.req.complete) {
    // It is the rest of the request that is being answered.
    if (answering.headersSent) socket.destroy();
    else answerAndClose(error, socket);
  } else if (answering.req.context?.info.longRunning === true) socket.destroy();
  else {
    // Requests that came before it are answered before it.
    socket.pause();
    turns.afterAnswers(() => {
      // The answer before it may have been the last one.
      if (socket.writable) answerAndClose(error, socket);
      else socket.destroy();
    });
  }
}

function answerAndClose({ code: cause = "" }: NodeJS.ErrnoException, socket: Socket): void {
  const [code, phrase] = ANSWERS[cause] ?? [400, "Bad Request"];
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `the request could not be read: ${phrase}`,
    reason: "BadRequest",
    code,
  });
  socket.end(
    `HTTP/1.1 ${code} ${phrase}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
