import { describe, expect, test } from "@jest/globals";
import { containsAddress, orphanTest, overlapping } from "./cidr-uses";

const cidr = (name: string, ...cidrs: readonly string[]) => ({ metadata: { name }, spec: { cidrs: [...cidrs] } });
const small = cidr("small", "10.96.0.0/28");
const large = cidr("large", "10.96.0.0/24");
const twin = cidr("twin", "10.96.0.0/28");
const apart = cidr("apart", "10.97.0.0/24");
const both = cidr("both", "10.96.0.0/28", "fd00::/112");

describe("a deleted ServiceCIDR", () => {
  test.each<[string, typeof small, readonly (typeof small)[], string[] | undefined]>([
    ["alone orphans its addresses", small, [small], ["10.96.0.3"]],
    ["beside another range orphans its addresses", small, [small, apart], ["10.96.0.3"]],
    ["inside a larger range orphans nothing", small, [small, large], undefined],
    ["with a twin orphans nothing", small, [small, twin], undefined],
    [
      "around a smaller range orphans the addresses outside of that",
      large,
      [small, large],
      ["10.96.0.15", "10.96.0.200"],
    ],
    ["with one covered family orphans the addresses of the other", both, [both, large], ["fd00::9"]],
  ])("%s", (_behaviour, deleted, all, expected) => {
    const isOrphan = orphanTest(deleted, all);
    const addresses = ["10.96.0.0", "10.96.0.3", "10.96.0.15", "10.96.0.200", "10.96.0.255", "10.97.0.9", "fd00::9"];
    expect(isOrphan && addresses.filter(isOrphan)).toEqual(expected);
  });
});

test("ServiceCIDRs overlap when one range contains the other", () => {
  const all = [small, large, twin, apart, both];
  const names = (of: typeof small) => overlapping(of, all).map(({ metadata }) => metadata?.name);
  expect([names(small), names(apart)]).toEqual([["small", "large", "twin", "both"], ["apart"]]);
});

test.each([
  ["10.96.0.0", false],
  ["10.96.0.1", true],
  ["10.96.0.14", true],
  ["10.96.0.15", false],
  ["fd00::1", false],
])("a range of 16 addresses contains %s: %s", (address, expected) =>
  expect(containsAddress(small, address)).toBe(expected),
);
