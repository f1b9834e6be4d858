import { Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import { BodyBudget, type Connection } from "@orch/http-server";
import { ClientGoneError } from "@orch/platform";
import { type ApiRequest, type ApiResponse, RequestContext, type RequestInfo } from "@orch/request";
import { bufferBody } from "./buffer-body";

const CREATE = { kind: "collection", verb: "create", longRunning: false, route: {} } as unknown as RequestInfo;

function step(bodies = new BodyBudget()) {
  const context = new RequestContext(undefined as never, undefined as unknown as Connection);
  context.info = CREATE;
  const request = new Readable({ read() {} }) as unknown as ApiRequest & Readable;
  Object.assign(request, { context, headers: { "content-length": "10" }, httpVersionMajor: 1 });
  const handled: { readonly body: string; readonly bytes: number }[] = [];
  const handler = bufferBody({ bodies }, ({ context: { body } }) => {
    handled.push({ body: body.toString(), bytes: bodies.bytes });
  });
  const failures: unknown[] = [];
  const run = () => handler(request, { req: request } as ApiResponse, (error) => failures.push(error));
  return { context, request, bodies, handled, failures, run };
}

test("the handler begins when all of the body is there, and the body's memory counts until it is done", async () => {
  const { request, bodies, handled, run } = step();
  run();
  request.push("01234");
  await new Promise(setImmediate);
  expect(handled).toEqual([]);
  request.push("56789");
  request.push(null);
  await new Promise(setImmediate);
  expect([handled, bodies.bytes]).toEqual([[{ body: "0123456789", bytes: 10 }], 0]);
});

test.each<[string, object, string]>([
  ["what may just have been defined is asked with its body", { group: "example.com" }, "0123456789"],
  ["what is built in, and not there, needs none", { group: "" }, ""],
  ["nor does a path that takes other methods", { group: "example.com", allowed: ["GET"] }, ""],
])("%s", async (_what, info, body) => {
  const { context, request, handled, run } = step();
  context.info = { ...CREATE, kind: "unserved", route: undefined, allowed: undefined, ...info } as RequestInfo;
  run();
  request.push("0123456789");
  request.push(null);
  await new Promise(setImmediate);
  expect(handled.map((each) => each.body)).toEqual([body]);
});

test("nothing is done for a client that has left while it was found out who it is", () => {
  const { context, handled, run } = step();
  context.end.abort();
  run();
  expect(handled).toEqual([]);
});

test("nothing is done, and nothing kept, for one that leaves before the end of its body", async () => {
  const { context, request, bodies, handled, failures, run } = step();
  run();
  request.push("01234");
  await new Promise(setImmediate);
  expect(bodies.bytes).toBe(5);
  context.end.abort();
  expect(failures).toEqual([expect.any(ClientGoneError)]);
  expect([handled, bodies.bytes]).toEqual([[], 0]);
});

test("a body that there is no memory for is refused, and nothing of it is kept", async () => {
  const { request, bodies, handled, failures, run } = step(new BodyBudget(12));
  run();
  request.push("0123456789");
  await new Promise(setImmediate);
  expect(String(failures)).toMatch(/the memory for request bodies is exhausted/);
  expect([handled, bodies.bytes]).toEqual([[], 0]);
});
