// Parses IP addresses and writes their canonical text. Source: RFC 5952.
import { isIPv4, isIPv6 } from "node:net";

export type AddressFamily = "IPv4" | "IPv6";

/** Removes leading zeros from the parts of an IPv4 address, which are ignored. */
export const plainAddress = (text: string): string =>
  text.includes(":") ? text : text.replace(/(^|\.)0+(?=\d)/g, "$1");

/**
 * Returns the family of an address.
 * @returns undefined for an invalid address, and for one with a zone (`fe80::1%eth0`), which is meaningful only on one
 * machine
 */
export function familyOf(text: string): AddressFamily | undefined {
  if (isIPv4(plainAddress(text))) return "IPv4";
  // The first call of isIPv6 compiles an expression, which takes 3 ms of a start.
  return text.includes(":") && isIPv6(text) && !text.includes("%") ? "IPv6" : undefined;
}

/** Returns whether an address is an IPv4 address written as an IPv6 address: `::ffff:10.0.0.1`. */
export const isMappedAddress = (text: string): boolean =>
  text.includes(":") && addressNumber(text) >> 32n === MAPPED_PREFIX;

const MAPPED_PREFIX = 0xffffn;

/** Returns the canonical text of an address, and any other text unchanged. */
export function canonicalAddress(text: string): string {
  const family = familyOf(text);
  return family === undefined ? text : addressText(addressNumber(text), family);
}

/** Returns an address as a number. @param text valid */
export function addressNumber(text: string): bigint {
  if (!text.includes(":")) return BigInt(ipv4Number(plainAddress(text)));
  return groupsOf(text).reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

const ipv4Number = (text: string): number => text.split(".").reduce((number, part) => number * 256 + Number(part), 0);

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const before = groupsIn(head);
  if (tail === undefined) return before;
  const after = groupsIn(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsIn(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const number = ipv4Number(group);
    return [Math.floor(number / 0x10000), number % 0x10000];
  });
}

/** Returns the canonical text of a number. */
export function addressText(number: bigint, family: AddressFamily): string {
  return family === "IPv4" ? ipv4Text(Number(number)) : ipv6Text(number);
}

const ipv4Text = (number: number): string =>
  `${number >>> 24}.${(number >>> 16) & 0xff}.${(number >>> 8) & 0xff}.${number & 0xff}`;

function ipv6Text(number: bigint): string {
  if (number >> 32n === MAPPED_PREFIX) return `::ffff:${ipv4Text(Number(number & 0xffffffffn))}`;
  const groups = Array.from({ length: 8 }, (_, at) => Number((number >> BigInt(112 - 16 * at)) & 0xffffn));
  const { at, length } = longestZeros(groups);
  const texts = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  return length < 2 ? texts(0, 8) : `${texts(0, at)}::${texts(at + length, 8)}`;
}

/** Finds the longest run of zeros, the first of equally long ones. */
function longestZeros(groups: readonly number[]): { readonly at: number; readonly length: number } {
  let best = { at: 0, length: 0 };
  let length = 0;
  groups.forEach((group, position) => {
    length = group === 0 ? length + 1 : 0;
    if (length > best.length) best = { at: position + 1 - length, length };
  });
  return best;
}
