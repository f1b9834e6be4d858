// Reports the outcome of an HTTP/1.1 request exactly once, whatever the server does. Node.js has a dozen events for the
// possible outcomes; a missing listener for one of them would end a request without any report.
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface ResponseOutcome {
  /** The response headers have arrived. The response reports the outcome of its body. */
  answered(answer: IncomingMessage): void;
  /** The request ended without a response. */
  failed(error: Error): void;
  /** The server accepted an upgrade. Absent: none was requested, and an upgrade is a failure. */
  upgraded?(answer: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Maximum number of informational responses (1xx). A server could send them forever. */
export const ANNOUNCEMENTS_MAX = 100;

/** Reports exactly one outcome, once. A failed request closes its connection. */
export function observeResponse(sent: ClientRequest, { answered, failed, upgraded }: ResponseOutcome): void {
  let isOver = false;
  const once = (tell: () => void): void => {
    if (isOver) return;
    isOver = true;
    tell();
  };
  let announcements = 0;
  sent.on("information", () => {
    announcements += 1;
    if (announcements > ANNOUNCEMENTS_MAX) sent.destroy(new Error("it announces an answer of unlimited length"));
  });
  sent.on("response", (answer) => once(() => answered(answer)));
  sent.on("upgrade", (answer, socket, head) => {
    if (upgraded !== undefined) return once(() => upgraded(answer, socket, head));
    socket.destroy();
    once(() => failed(new Error("it answered with an unrequested upgrade")));
  });
  // The listener stays after a response: sending the rest of the request may fail, which is not reported.
  sent.on("error", (error) => once(() => failed(error)));
  sent.on("close", () => once(() => failed(new Error("the connection was closed before the answer"))));
}
