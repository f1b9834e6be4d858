import { expect, test } from "@jest/globals";
import { RequestWriter } from "./http1-request";
import type { TransportRequest } from "./transport";

const { signal } = new AbortController();
const HEADERS = { accept: "a" };
const text = (writer: RequestWriter, request: Partial<TransportRequest>): string =>
  Buffer.concat(writer.pieces({ method: "POST", path: "/", headers: HEADERS, signal, ...request })).toString("latin1");
const lines = (first: string, ...more: readonly string[]): string =>
  [`${first} HTTP/1.1`, "host: here", "connection: keep-alive", ...more].join("\r\n");

test("consecutive requests are serialized independently", () => {
  const writer = new RequestWriter("here");
  const question = lines("POST /", "accept: a", "content-length: 2", "", "ab");
  expect(text(writer, { body: "ab" })).toBe(question);
  expect(text(writer, { body: Buffer.from("abc") })).toBe(lines("POST /", "accept: a", "content-length: 3", "", "abc"));
  expect(text(writer, {})).toBe(lines("POST /", "accept: a", "content-length: 0", "", ""));
  expect(text(writer, { method: "GET" })).toBe(lines("GET /", "accept: a", "", ""));
  expect(text(writer, { path: "/b", body: "ab" })).toBe(lines("POST /b", "accept: a", "content-length: 2", "", "ab"));
  expect(text(writer, { headers: { accept: ["b", "c"] }, body: "ab" })).toBe(
    lines("POST /", "accept: b", "accept: c", "content-length: 2", "", "ab"),
  );
  expect(text(writer, { body: "ab" })).toBe(question);
});

test.each<[string, Partial<TransportRequest>, RegExp]>([
  ["a path", { path: "/ HTTP/1.1\r\n" }, /the request path/],
  ["a header", { headers: { accept: "a\r\nb: c" } }, /the header accept/],
])("%s that would end its line is refused each time", (_what, request, message) => {
  const writer = new RequestWriter("here");
  for (let time = 0; time < 2; time += 1) expect(() => text(writer, request)).toThrow(message);
});
