// Range of addresses for services. Source: Kubernetes documentation, "Service ClusterIP allocation".

import { isIPv4, SocketAddress } from "node:net";
import { type Cidr, parseCidr } from "@orch/apis-model";
import { type AddressFamily, familyOf, plainAddress } from "@orch/machinery";

/** Maximum number of addresses used of an IPv6 range, which may be far larger. */
const IPV6_ADDRESSES_MAX = 65_536;
const ADDRESSES_MIN = 8;
const HOST_BITS_MAX = 20;

export class AddressRange {
  readonly family: AddressFamily;
  /** The range as the operator wrote it, with the network address. */
  readonly text: string;
  /** Number of addresses that can be allocated. */
  readonly size: number;
  private readonly network: bigint;

  private constructor({ family, address, prefixLength }: Cidr) {
    const bits = family === "IPv4" ? 32 : 128;
    const hosts = BigInt(bits - prefixLength);
    this.family = family;
    this.network = (numberOf(address) >> hosts) << hosts;
    this.text = `${textOf(this.network, family)}/${prefixLength}`;
    // Excludes the network address and, for IPv4, the broadcast address.
    const all = 1n << hosts;
    this.size = family === "IPv4" ? Number(all) - 2 : Math.min(Number(all), IPV6_ADDRESSES_MAX) - 1;
  }

  /** Parses a range. @returns the range, or the reason why it cannot be used */
  static parse(text: string): AddressRange | string {
    const block = parseCidr(text);
    if (block === undefined) return `${JSON.stringify(text)} is not a CIDR block`;
    const hostBits = (block.family === "IPv4" ? 32 : 128) - block.prefixLength;
    if (2 ** hostBits < ADDRESSES_MIN) return `${text} has fewer than ${ADDRESSES_MIN} addresses`;
    if (block.family === "IPv4" && hostBits > HOST_BITS_MAX) return `${text} is larger than a /${32 - HOST_BITS_MAX}`;
    return new AddressRange(block);
  }

  /** Returns the address at a position. @param position from 0, the first address after the network address */
  at(position: number): string {
    return textOf(this.network + BigInt(position + 1), this.family);
  }

  /** Returns the position of an address; undefined when it cannot be allocated. */
  positionOf(address: string): number | undefined {
    if (familyOf(address) !== this.family) return undefined;
    const position = numberOf(plainAddress(address)) - this.network - 1n;
    return position >= 0n && position < BigInt(this.size) ? Number(position) : undefined;
  }
}

/** Returns the canonical text of an address. */
export function canonicalAddress(address: string): string {
  const family = familyOf(address);
  return family === undefined ? address : textOf(numberOf(plainAddress(address)), family);
}

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split(".").reduce((number, part) => (number << 8n) | BigInt(part), 0n);
  return groupsOf(address).reduce((number, group) => (number << 16n) | BigInt(group), 0n);
}

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
    const number = Number(numberOf(group));
    return [number >>> 16, number & 0xffff];
  });
}

function textOf(number: bigint, family: AddressFamily): string {
  if (family === "IPv4") return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 0xffn)).join(".");
  const groups = number.toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  return new SocketAddress({ address: groups.join(":"), family: "ipv6" }).address;
}
