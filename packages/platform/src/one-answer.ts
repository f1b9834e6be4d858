// What comes of a request over HTTP/1.1, told once whatever the other side does: an answer, or why there is none. The run time has an event
// for each of a dozen ways, and where nobody listens to one of them the request ends without a word to whoever waits for it.
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface AnswerOutcome {
  /** Its head is there. What becomes of its body is told by the answer itself. */
  answered(answer: IncomingMessage): void;
  /** There is none, and the request is over. */
  failed(error: Error): void;
  /** The other side has agreed to an upgrade. Absent: none was asked for, and to agree to one is a failure. */
  upgraded?(answer: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Of an answer: 100, 103 and their like. Who says this many has none, and would be listened to forever. */
export const ANNOUNCEMENTS_MAX = 100;

/** Tells exactly one of the outcomes, once. A request that fails takes its connection along. */
export function hearAnswer(sent: ClientRequest, { answered, failed, upgraded }: AnswerOutcome): void {
  let isOver = false;
  const once = (tell: () => void): void => {
    if (isOver) return;
    isOver = true;
    tell();
  };
  let announcements = 0;
  sent.on("information", () => {
    announcements += 1;
    if (announcements > ANNOUNCEMENTS_MAX) sent.destroy(new Error("it announces an answer without end"));
  });
  sent.on("response", (answer) => once(() => answered(answer)));
  sent.on("upgrade", (answer, socket, head) => {
    if (upgraded !== undefined) return once(() => upgraded(answer, socket, head));
    socket.destroy();
    once(() => failed(new Error("it answered with an upgrade that was not asked for")));
  });
  // Also of one that was answered: to go on sending then may fail, which nobody has to be told of.
  sent.on("error", (error) => once(() => failed(error)));
  sent.on("close", () => once(() => failed(new Error("the connection was closed before the answer"))));
}
