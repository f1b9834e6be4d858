import { expect, test } from "@jest/globals";
import { parseTarget, type RequestTarget } from "./request-target";

const path = (url: string): RequestTarget => ({ kind: "path", url });
const absolute = (host: string, url: string): RequestTarget => ({ kind: "absolute", host, url });

test.each<[string, string, RequestTarget]>([
  ["GET", "/", path("/")],
  ["GET", "/api/v1/pods?watch=1", path("/api/v1/pods?watch=1")],
  ["GET", "//host/path", path("//host/path")],
  ["GET", "http://host/api?a=b", absolute("host", "/api?a=b")],
  ["GET", "HTTPS://Host:6443/api", absolute("Host:6443", "/api")],
  ["GET", "https://[::1]:6443/api", absolute("[::1]:6443", "/api")],
  ["GET", "http://host", absolute("host", "/")],
  ["GET", "http://host?a", absolute("host", "/?a")],
  ["GET", "http://host:/a", absolute("host:", "/a")],
  ["OPTIONS", "*", { kind: "server" }],
])("%s %s", (method, target, expected) => expect(parseTarget(method, target)).toEqual(expected));

test.each([
  ["GET", "http://?"],
  ["GET", "http://"],
  ["GET", "http:///api"],
  ["GET", "http://[::1"],
  ["GET", "http://[]/"],
  ["GET", "http://user@host/"],
  ["GET", "http://host:port/"],
  ["GET", "http://ho st/"],
  ["GET", "ftp://host/"],
  ["GET", "host:443"],
  ["GET", "*"],
  ["GET", ""],
  ["GET", "api/v1"],
  ["OPTIONS", "**"],
])("%s %s cannot be read", (method, target) => expect(parseTarget(method, target).kind).toBe("unreadable"));

test("a long target costs no more than its length", () => {
  for (const target of [
    `http://${"a".repeat(60_000)}`,
    `http://${"a:".repeat(30_000)}`,
    `http://[${":".repeat(60_000)}`,
  ]) {
    expect(["absolute", "unreadable"]).toContain(parseTarget("GET", target).kind);
  }
});
