import { expect, test } from "@jest/globals";
import { readHost } from "./request-host";

const http1 = (...hosts: string[]) => ({
  httpVersion: "1.1",
  httpVersionMajor: 1,
  headers: {},
  rawHeaders: ["Accept", "*/*", ...hosts.flatMap((host) => ["Host", host])],
});
const http2 = (authority: string | undefined, ...hosts: string[]) => ({
  ...http1(...hosts),
  httpVersion: "2.0",
  httpVersionMajor: 2,
  headers: authority === undefined ? {} : { ":authority": authority },
});

test.each<[string, ReturnType<typeof http1>, string | undefined, string | RegExp]>([
  ["the one that is named", http1("api.example:6443"), undefined, "api.example:6443"],
  ["an address", http1("[::1]:6443"), undefined, "[::1]:6443"],
  ["none", http1(""), undefined, ""],
  ["that of an older client, who names none", { ...http1(), httpVersion: "1.0" }, undefined, ""],
  ["that of the target, whatever the header says", http1("other.example"), "api.example", "api.example"],
  ["two", http1("api.example", "api.example"), undefined, /more than one Host/],
  ["two of which one is empty", http1("", "api.example"), undefined, /more than one Host/],
  ["a missing one", http1(), undefined, /has no Host header/],
  ["a missing one beside a whole address", http1(), "api.example", /has no Host header/],
  ["a path", http1("api.example/x"), undefined, /no host/],
  ["a user", http1("me@api.example"), undefined, /no host/],
  ["a space", http1("api example"), undefined, /no host/],
  ["two in one", http1("a.example, b.example"), undefined, /no host/],
  ["a broken target", http1("api.example"), "a b", /no host/],
  ["that of :authority", http2("api.example"), undefined, "api.example"],
  ["that of Host without :authority", http2(undefined, "api.example"), undefined, "api.example"],
  ["both alike", http2("API.example:443", "api.example"), undefined, "API.example:443"],
  ["both different", http2("api.example", "other.example"), undefined, /does not match :authority/],
  ["both, of different ports", http2("api.example:1", "api.example:2"), undefined, /does not match :authority/],
  ["two beside :authority", http2("api.example", "api.example", "api.example"), undefined, /more than one Host/],
])("%s", (_what, head, targetAuthority, expected) => {
  const read = readHost(head, targetAuthority);
  if (typeof expected === "string") expect(read).toEqual({ host: expected });
  else expect(read).toMatch(expected);
});
