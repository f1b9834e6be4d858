import { expect, test } from "@jest/globals";
import type { ApiRequest } from "@orch/request";
import { isFromThisMachine } from "./from-this-machine";

const asked = (remoteAddress: string | undefined, localAddress: string, headers: Record<string, string> = {}) =>
  isFromThisMachine({ headers, socket: { remoteAddress, localAddress } } as Pick<ApiRequest, "headers" | "socket">);

test.each<[string, string | undefined, string, boolean]>([
  ["the loopback", "127.0.0.1", "127.0.0.1", true],
  ["all of it", "127.8.9.1", "127.0.0.1", true],
  ["its sixth version", "::1", "::1", true],
  ["the fourth in the sixth", "::ffff:127.0.0.1", "::ffff:127.0.0.1", true],
  ["the machine's own address", "10.0.0.5", "10.0.0.5", true],
  ["a neighbour", "10.0.0.6", "10.0.0.5", false],
  ["a neighbour in the sixth version", "::ffff:10.0.0.6", "::ffff:10.0.0.5", false],
  ["a connection that is gone", undefined, "10.0.0.5", false],
])("a request from %s", (_whom, peer, own, expected) => expect(asked(peer, own)).toBe(expected));

test.each(["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"])(
  "a request with the proxy header %s is not from this machine",
  (name) => expect(asked("127.0.0.1", "127.0.0.1", { [name]: "127.0.0.1" })).toBe(false),
);
