// IP addresses as numbers and in canonical text form. Source: RFC 4291, RFC 5952.
import { isIPv4, isIPv6 } from "node:net";
import type { Address } from "./opaque-values";

const TEXT_MAX = 64;

/** Parses an address; undefined for invalid text, for an address with a zone, and for an IPv4-mapped IPv6 address. */
export function addressOf(text: string): Address | undefined {
  if (text.length > TEXT_MAX || text.includes("%")) return undefined;
  if (isIPv4(text)) return { family: 4, bits: fourBits(text) };
  if (!isIPv6(text)) return undefined;
  const bits = sixBits(text);
  return bits >> 32n === 0xffffn ? undefined : { family: 6, bits };
}

const fourBits = (text: string): bigint => text.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);

function sixBits(text: string): bigint {
  const four = /(?<=:)\d+\.\d+\.\d+\.\d+$/.exec(text)?.[0];
  const low = four === undefined ? undefined : fourBits(four);
  const plain =
    low === undefined || four === undefined
      ? text
      : `${text.slice(0, -four.length)}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  const [front = "", back] = plain.split("::");
  const parts = (side: string) => (side === "" ? [] : side.split(":"));
  const first = parts(front);
  const last = back === undefined ? [] : parts(back);
  const gap = Array.from({ length: back === undefined ? 0 : 8 - first.length - last.length }, () => "0");
  return [...first, ...gap, ...last].reduce((bits, part) => (bits << 16n) | BigInt(`0x${part}`), 0n);
}

export function addressText({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => `${(bits >> shift) & 255n}`).join(".");
  const parts = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const zeros = [...parts.join(":").matchAll(/(?<![^:])0(?::0)+(?![^:])/g)];
  const longest = zeros.reduce<RegExpMatchArray | undefined>(
    (best, each) => (best === undefined || each[0].length > best[0].length ? each : best),
    undefined,
  );
  const text = parts.join(":");
  if (longest === undefined) return text;
  const before = text.slice(0, longest.index).replace(/:$/, "");
  const after = text.slice((longest.index ?? 0) + longest[0].length).replace(/^:/, "");
  return `${before}::${after}`;
}

const widthOf = ({ family }: Address): number => (family === 4 ? 32 : 128);

/** Returns the address with all bits after the prefix cleared. */
export function masked(address: Address, prefix: number): Address {
  const rest = BigInt(widthOf(address) - prefix);
  return { family: address.family, bits: (address.bits >> rest) << rest };
}

/** Parses a CIDR block; undefined for invalid text. */
export function cidrOf(text: string): { readonly address: Address; readonly prefix: number } | undefined {
  const match = text.length > TEXT_MAX ? null : /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const address = match?.[1] === undefined ? undefined : addressOf(match[1]);
  const prefix = Number(match?.[2]);
  return address === undefined || prefix > widthOf(address) ? undefined : { address, prefix };
}
