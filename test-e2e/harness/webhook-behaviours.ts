// Correct and faulty behaviours of admission webhooks.
import type { AskedCall, Behaviour } from "./admission-webhook";

/** Answers with a response in the review's version and with its uid. */
export const responding =
  (response: object | ((call: AskedCall) => object)): Behaviour =>
  (call, reply) => {
    const { apiVersion, kind, request } = call.review;
    const said = typeof response === "function" ? response(call) : response;
    reply.setHeader("content-type", "application/json");
    reply.end(JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...said } }));
  };

export const accepts = responding({ allowed: true });

export const refuses = (status?: object): Behaviour =>
  responding({ allowed: false, ...(status === undefined ? {} : { status }) });

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

export const patches = (...operations: readonly object[]): Behaviour =>
  responding({ allowed: true, patchType: "JSONPatch", patch: base64(operations) });

/** Adds a label, whether there are labels or not. */
export const labels = (name: string, value: string): Behaviour =>
  patches({ op: "add", path: `/metadata/labels/${name}`, value });

export const hangs: Behaviour = () => {};

/** Sends one byte per second, forever. */
export const drips: Behaviour = (_call, reply) => {
  reply.setHeader("content-type", "application/json");
  reply.write("{");
  const timer = setInterval(() => reply.write(" "), 1000);
  reply.on("close", () => clearInterval(timer));
};

export const says =
  (text: string | Buffer): Behaviour =>
  (_call, reply) => {
    reply.end(text);
  };

export const answers =
  (
    code: number,
    { headers = {}, body = "" }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
  ): Behaviour =>
  (_call, reply) => {
    reply.writeHead(code, headers);
    reply.end(body);
  };

/** Answers with a complete review. */
export const reviewing =
  (review: (call: AskedCall) => object): Behaviour =>
  (call, reply) => {
    reply.end(JSON.stringify(review(call)));
  };

export const closes: Behaviour = (_call, _reply, socket) => {
  socket.destroy();
};

/** Closes the connection in the middle of an answer. */
export const closesHalfway: Behaviour = (_call, reply, socket) => {
  reply.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  reply.write('{"apiVersion":"admission', () => setImmediate(() => socket.destroy()));
};
