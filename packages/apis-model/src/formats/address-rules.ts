// Rules of addresses and CIDRs of both families.
import { BlockList, isIPv4 } from "node:net";
import { type AddressFamily, familyOf, ipErrors, plainAddress } from "@orch/machinery";
import type { Rule } from "../model/rules/rule";

export interface Cidr {
  readonly family: AddressFamily;
  readonly address: string;
  readonly prefixLength: number;
}

/** Parses a CIDR. @returns undefined for text that is not `address/length`; the length may have leading zeros */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const address = plainAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  const family = familyOf(address);
  if (slash < 0 || family === undefined || !/^\d+$/.test(length)) return undefined;
  const prefixLength = Number(length);
  return prefixLength <= (family === "IPv4" ? 32 : 128) ? { family, address, prefixLength } : undefined;
}

/** Requires an address that other machines can reach: not unspecified, loopback or link-local. */
export const reachableAddress: Rule<string> = (value, at, report) => {
  const errors = ipErrors(value);
  if (errors.length > 0) return report.misformed(at, value, errors);
  for (const [blocks, what] of SPECIAL) {
    if (isIn(blocks, value)) report.invalid(at, value, `may not be ${what}`);
  }
};

/** Returns whether an address is in a list of blocks. An IPv4-mapped IPv6 address counts as IPv4. */
function isIn(blocks: BlockList, text: string): boolean {
  const address = plainAddress(text);
  return blocks.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

function blocksOf(...texts: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const text of texts) {
    const [address = "", length = ""] = text.split("/");
    blocks.addSubnet(address, Number(length), isIPv4(address) ? "ipv4" : "ipv6");
  }
  return blocks;
}

const SPECIAL: readonly (readonly [BlockList, string])[] = [
  [blocksOf("0.0.0.0/32", "::/128"), "unspecified (0.0.0.0 or ::)"],
  [blocksOf("127.0.0.0/8", "::1/128"), "in the loopback range (127.0.0.0/8, ::1/128)"],
  [blocksOf("169.254.0.0/16", "fe80::/10"), "in the link-local range (169.254.0.0/16, fe80::/10)"],
  [blocksOf("224.0.0.0/24", "ff02::/16"), "in the link-local multicast range (224.0.0.0/24, ff02::/16)"],
];
