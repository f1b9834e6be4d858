import { describe, expect, test } from "@jest/globals";
import { addressNumber, addressText, canonicalAddress } from "./ip-address";

describe("canonicalAddress", () => {
  test.each([
    ["10.0.0.1", "10.0.0.1"],
    ["010.000.00.09", "10.0.0.9"],
    ["255.255.255.255", "255.255.255.255"],
    ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["fd00:0:0:0:0:0:0:0", "fd00::"],
    ["::1.2.3.4", "::102:304"],
    ["::FFFF:102:304", "::ffff:1.2.3.4"],
    ["not an address", "not an address"],
    ["fe80::1%eth0", "fe80::1%eth0"],
  ])("returns for %s the text %s", (text, expected) => expect(canonicalAddress(text)).toBe(expected));
});

test.each([
  ["0.0.0.0", 0n],
  ["255.255.255.255", 0xffffffffn],
  ["fd00::ffff:1", (0xfd00n << 112n) | 0xffff0001n],
])("%s is the number %s and back", (text, number) => {
  expect(addressNumber(text)).toBe(number);
  expect(addressText(number, text.includes(":") ? "IPv6" : "IPv4")).toBe(text);
});
