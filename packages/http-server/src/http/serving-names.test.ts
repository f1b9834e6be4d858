import { describe, expect, test } from "@jest/globals";
import { endpointAddress } from "./serving-names";

const address = (text: string, internal = false) =>
  ({ address: text, family: text.includes(":") ? "IPv6" : "IPv4", internal }) as never;
const LOOPBACK = { lo: [address("127.0.0.1", true), address("::1", true)] };
const OUTER = { ...LOOPBACK, eth0: [address("fe80::1"), address("2001:db8::7"), address("192.0.2.7")] };
const OUTER6 = { ...LOOPBACK, eth0: [address("fe80::1"), address("169.254.3.3"), address("2001:db8::7")] };

describe("the address in the Endpoints of the API's service", () => {
  test.each([
    ["is the advertised one", { advertiseAddress: "192.0.2.9", bindAddress: "192.0.2.7" }, OUTER, "192.0.2.9"],
    ["is the one listened on", { advertiseAddress: "", bindAddress: "192.0.2.8" }, OUTER, "192.0.2.8"],
    ["is the first outer one of a server on all", { advertiseAddress: "", bindAddress: "0.0.0.0" }, OUTER, "192.0.2.7"],
    [
      "is the first outer one of a server on loopback",
      { advertiseAddress: "", bindAddress: "127.0.0.1" },
      OUTER,
      "192.0.2.7",
    ],
    ["is an IPv6 one where there is no other", { advertiseAddress: "::", bindAddress: "::1" }, OUTER6, "2001:db8::7"],
    ["is missing where no interface has one", { advertiseAddress: "", bindAddress: "127.0.0.1" }, LOOPBACK, undefined],
    [
      "is missing where loopback is advertised",
      { advertiseAddress: "127.0.0.1", bindAddress: "0.0.0.0" },
      OUTER,
      undefined,
    ],
  ])("%s", (_behaviour, of, interfaces, expected) => expect(endpointAddress(of, interfaces)).toBe(expected));
});
