import { describe, expect, test } from "@jest/globals";
import { type AddressFamily, familyOf } from "@orch/machinery";
import { parseCidr } from "./address-rules";

test.each<[string, AddressFamily | undefined]>([
  ["10.0.0.1", "IPv4"],
  ["010.000.0.01", "IPv4"],
  ["2001:db8::1", "IPv6"],
  ["::ffff:10.0.0.1", "IPv6"],
  ["10.0.0", undefined],
  ["10.0.0.256", undefined],
  ["fe80::1%eth0x/64", undefined],
  ["fe80::1%eth0", undefined],
  ["fe80::1%0", undefined],
  ["", undefined],
])("the family of %j is %s", (text, family) => expect(familyOf(text)).toBe(family));

describe("a block of addresses", () => {
  test.each([
    ["10.0.0.0/8", { family: "IPv4", address: "10.0.0.0", prefixLength: 8 }],
    ["10.1.2.3/32", { family: "IPv4", address: "10.1.2.3", prefixLength: 32 }],
    ["2001:db8::/64", { family: "IPv6", address: "2001:db8::", prefixLength: 64 }],
    ["10.0.0.0/08", { family: "IPv4", address: "10.0.0.0", prefixLength: 8 }],
    ["2001:db8::/0064", { family: "IPv6", address: "2001:db8::", prefixLength: 64 }],
    ["::/0", { family: "IPv6", address: "::", prefixLength: 0 }],
  ])("%s is read", (text, expected) => expect(parseCidr(text)).toEqual(expected));

  test.each([
    "10.0.0.0",
    "10.0.0.0/33",
    "2001:db8::/129",
    "2001:db8::%eth0/64",
    "10.0.0.0/+8",
    "10.0.0.0/033",
    "10.0.0.0/-1",
    "a/8",
    "/8",
    "10.0.0.0/",
  ])("%s is none", (text) => expect(parseCidr(text)).toBeUndefined());
});
