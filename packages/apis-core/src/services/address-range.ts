// Range of addresses for services. Source: Kubernetes documentation, "Service ClusterIP allocation".

import { type Cidr, parseCidr } from "@orch/apis-model";
import { type AddressFamily, addressNumber, addressText, familyOf } from "@orch/machinery";

/** Maximum number of addresses that releases with a fixed range use of an IPv6 range, which may be far larger. */
const IPV6_ADDRESSES_MAX = 65_536;
/** Maximum number of positions. A larger range keeps the addresses after them for explicit requests. */
const POSITIONS_MAX = 2 ** 52;
const ADDRESSES_MIN = 8;
const HOST_BITS_MAX = 20;

/** Bounds of the lower band, and its part of the range. Source: Kubernetes KEP-3070. */
const BAND = { min: 16, max: 256, part: 16 };

export class AddressRange {
  readonly family: AddressFamily;
  /** The range as the operator wrote it, with the network address. */
  readonly text: string;
  /** Number of positions: addresses that are allocated without an explicit request. */
  readonly size: number;
  /** Number of positions at the start that are used last, so that most of them stay free for explicit requests. */
  readonly band: number;
  private readonly network: bigint;
  /** Number of addresses after the network address that can be allocated. */
  private readonly usable: bigint;

  private constructor({ family, address, prefixLength }: Cidr, isWhole: boolean) {
    const bits = family === "IPv4" ? 32 : 128;
    const hosts = BigInt(bits - prefixLength);
    this.family = family;
    this.network = (addressNumber(address) >> hosts) << hosts;
    this.text = `${addressText(this.network, family)}/${prefixLength}`;
    const all = 1n << hosts;
    // Excludes the network address and, for IPv4, the broadcast address.
    const whole = all - (family === "IPv4" ? 2n : 1n);
    this.usable = isWhole || family === "IPv4" ? whole : smaller(whole, BigInt(IPV6_ADDRESSES_MAX - 1));
    this.size = Math.max(0, Math.min(Number(this.usable), POSITIONS_MAX));
    const band = Math.min(Math.max(BAND.min, Math.floor(Number(all) / BAND.part)), BAND.max);
    this.band = Number(all) <= BAND.min ? 0 : band;
  }

  /**
   * Parses the range of a flag.
   * @param isBounded whether IPv4 ranges have a maximum size
   * @returns the range, or the reason why it cannot be used
   */
  static parse(text: string, { isBounded }: { readonly isBounded: boolean }): AddressRange | string {
    const block = parseCidr(text);
    if (block === undefined) return `${JSON.stringify(text)} is not a CIDR block`;
    const hostBits = (block.family === "IPv4" ? 32 : 128) - block.prefixLength;
    if (2 ** hostBits < ADDRESSES_MIN) return `${text} has fewer than ${ADDRESSES_MIN} addresses`;
    if (isBounded && block.family === "IPv4" && hostBits > HOST_BITS_MAX)
      return `${text} is larger than a /${32 - HOST_BITS_MAX}`;
    return new AddressRange(block, false);
  }

  /** Parses the range of a ServiceCIDR, of any size. @returns undefined for an invalid one */
  static ofServiceCidr(text: string): AddressRange | undefined {
    const block = parseCidr(text);
    return block === undefined ? undefined : new AddressRange(block, true);
  }

  /** Returns the address at a position. @param position from 0, the first address after the network address */
  at(position: number): string {
    return addressText(this.network + BigInt(position + 1), this.family);
  }

  /** Returns whether a range contains all addresses of another one. */
  covers(other: AddressRange): boolean {
    const last = (range: AddressRange) => range.network + range.usable;
    return this.family === other.family && this.network <= other.network && last(other) <= last(this);
  }

  /** Returns whether an address can be allocated. */
  contains(address: string): boolean {
    if (familyOf(address) !== this.family) return false;
    const position = addressNumber(address) - this.network - 1n;
    return position >= 0n && position < this.usable;
  }
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
