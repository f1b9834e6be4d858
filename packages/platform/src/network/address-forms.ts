// Forms of IP addresses: an address has several texts, and several forms of IPv6 addresses carry an IPv4 address.
// Source: RFC 4291, section 2.5.5 (IPv4-compatible and IPv4-mapped); RFC 6052 and RFC 8215 (NAT64); RFC 2765
// (IPv4-translated); RFC 3056 (6to4); RFC 4380 (Teredo); RFC 5214 (ISATAP).
import { isIP } from "node:net";

/**
 * Returns every address that connections to an address may lead to: the address itself, and the IPv4 addresses that it
 * carries.
 * @returns one text for each address, without a zone; empty for an invalid address
 */
export function equivalentAddresses(address: string): readonly string[] {
  const bytes = addressBytes(address);
  if (bytes === undefined) return [];
  if (bytes.length === 4) return [bytes.join(".")];
  const carried = EMBEDDINGS.flatMap(({ fits, at, inverted = 0 }) =>
    fits(bytes) ? at.map((positions) => positions.map((position) => byteOf(bytes, position) ^ inverted).join(".")) : [],
  );
  return [textOf(bytes), ...carried];
}

export type AddressClass =
  | "unspecified"
  | "loopback"
  | "link-local"
  | "multicast"
  | "broadcast"
  /** Metadata service, which serves credentials of the machine to every local client. */
  | "metadata"
  /** A single machine. */
  | "unicast";

/**
 * Classifies an address by the most special class of all addresses it may lead to.
 * @returns undefined for an invalid address
 */
export function addressClass(address: string): AddressClass | undefined {
  const meant = equivalentAddresses(address);
  if (meant.length === 0) return undefined;
  return meant.map(classOf).find((each) => each !== "unicast") ?? "unicast";
}

/** Parses an IP address without its zone. @returns 4 or 16 bytes; undefined for an invalid address */
function addressBytes(address: string): Buffer | undefined {
  switch (isIP(address)) {
    case 4:
      return Buffer.from(address.split(".").map(Number));
    case 6:
      return ipv6Bytes(address.split("%")[0] as string);
    default:
      return undefined;
  }
}

interface Embedding {
  readonly fits: (bytes: Buffer) => boolean;
  /** Positions of the four bytes of an IPv4 address; several when the position is ambiguous. */
  readonly at: readonly (readonly number[])[];
  /** 0xff when every bit is inverted. */
  readonly inverted?: number;
}

const LAST = [12, 13, 14, 15];
const byteOf = (bytes: Buffer, at: number): number => bytes[at] as number;
const begins =
  (...prefix: readonly number[]) =>
  (bytes: Buffer): boolean =>
    prefix.every((byte, at) => bytes[at] === byte);
const zeros = (count: number): number[] => new Array<number>(count).fill(0);

const EMBEDDINGS: readonly Embedding[] = [
  { fits: begins(...zeros(10), 0xff, 0xff), at: [LAST] },
  { fits: begins(...zeros(8), 0xff, 0xff, 0, 0), at: [LAST] },
  // Excludes the unspecified and the loopback address, which `classOf` handles.
  { fits: (bytes) => begins(...zeros(12))(bytes) && bytes.readUInt32BE(12) > 1, at: [LAST] },
  { fits: begins(0, 0x64, 0xff, 0x9b, ...zeros(8)), at: [LAST] },
  { fits: begins(0, 0x64, 0xff, 0x9b, 0, 1), at: [LAST, [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12]] },
  { fits: begins(0x20, 0x02), at: [[2, 3, 4, 5]] },
  { fits: begins(0x20, 0x01, 0, 0), at: [LAST], inverted: 0xff },
  { fits: (bytes) => (bytes.readUInt32BE(8) & 0xfdffffff) === 0x00005efe, at: [LAST] },
];

function classOf(address: string): AddressClass {
  const bytes = addressBytes(address) as Buffer;
  if (bytes.length === 4) {
    const [first, second] = [byteOf(bytes, 0), byteOf(bytes, 1)];
    if (first === 0) return "unspecified";
    if (first === 127) return "loopback";
    if (first === 169 && second === 254) return "link-local";
    if (first >= 224 && first < 240) return "multicast";
    return bytes.readUInt32BE(0) === 0xffffffff ? "broadcast" : "unicast";
  }
  if (address === "::") return "unspecified";
  if (address === "::1") return "loopback";
  if (byteOf(bytes, 0) === 0xff) return "multicast";
  if (byteOf(bytes, 0) === 0xfe && (byteOf(bytes, 1) & 0xc0) === 0x80) return "link-local";
  return METADATA.has(address) ? "metadata" : "unicast";
}

/**
 * Unicast addresses of metadata services; those of IPv4 are link-local. Source: AWS EC2 and Google Compute Engine user
 * guides.
 */
const METADATA: ReadonlySet<string> = new Set(["fd00:ec2::254", "fd20:ce::254"]);

function ipv6Bytes(address: string): Buffer {
  const [front = "", back] = address.split("::");
  const [head, tail] = [groupsIn(front), groupsIn(back ?? "")];
  const groups = [...head, ...zeros(8 - head.length - tail.length), ...tail];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function groupsIn(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

/** Returns hexadecimal groups, with the first longest run of zeros compressed (RFC 5952). */
function textOf(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16));
  let [start, length] = [0, 1];
  for (let at = 0; at < 8; at++) {
    let end = at;
    while (groups[end] === "0") end += 1;
    if (end - at > length) [start, length] = [at, end - at];
  }
  if (length === 1) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

/** Whether a host name or an address in its usual form leads to this machine only. */
export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || address === "localhost";
}
