// Functions on IP addresses and CIDR blocks. Source: staging/src/k8s.io/apiserver/pkg/cel/library/ip.go and cidr.go.
import { CONSTANT, reads } from "../cost/cost-model";
import { fail } from "../values/evaluation-error";
import { addressOf, addressText, cidrOf, masked } from "../values/ip-address";
import { type Address, CidrValue, IpValue } from "../values/opaque-values";
import { fn, method, type Overload, parsing } from "./overload";

const READS = reads(0);

const ip = (text: string): IpValue =>
  new IpValue(addressOf(text) ?? fail(`IP Address "${text.slice(0, 64)}" parse error during conversion from string`));
const cidr = (text: string): CidrValue => {
  const { address, prefix } =
    cidrOf(text) ?? fail(`CIDR "${text.slice(0, 64)}" parse error during conversion from string`);
  return new CidrValue(address, prefix);
};

const within = (address: Address, block: string): boolean => {
  const of = cidr(block);
  return contains(of, address, of.prefix);
};

function contains({ address, prefix }: CidrValue, other: Address, otherPrefix: number): boolean {
  if (other.family !== address.family || otherPrefix < prefix) return false;
  return masked(other, prefix).bits === masked(address, prefix).bits;
}

const isUnspecified = ({ bits }: Address): boolean => bits === 0n;
const isLoopback = (address: Address): boolean =>
  address.family === 4 ? within(address, "127.0.0.0/8") : address.bits === 1n;
const isMulticast = (address: Address): boolean => within(address, address.family === 4 ? "224.0.0.0/4" : "ff00::/8");
const isLinkLocalMulticast = (address: Address): boolean =>
  address.family === 4 ? within(address, "224.0.0.0/24") : ((address.bits >> 112n) & 0xff0fn) === 0xff02n;
const isLinkLocalUnicast = (address: Address): boolean =>
  within(address, address.family === 4 ? "169.254.0.0/16" : "fe80::/10");
const isGlobalUnicast = (address: Address): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address) &&
  !(address.family === 4 && address.bits === 0xffffffffn);

const KINDS = { isUnspecified, isLoopback, isLinkLocalMulticast, isLinkLocalUnicast, isGlobalUnicast };
const IP = "net.IP";
const CIDR = "net.CIDR";

export const ADDRESSES: readonly Overload[] = [
  fn(`ip(string): ${IP}`, READS, parsing(20, ip)),
  fn(
    "isIP(string): bool",
    READS,
    parsing(20, (text: string) => addressOf(text) !== undefined),
  ),
  fn(
    "ip.isCanonical(string): bool",
    READS,
    parsing(40, (text: string) => addressText(ip(text).address) === text),
  ),
  fn(`string(${IP}): string`, CONSTANT, ({ address }: IpValue) => addressText(address)),
  method(`${IP}.family(): int`, CONSTANT, ({ address }: IpValue) => BigInt(address.family)),
  ...Object.entries(KINDS).map(([name, is]) =>
    method(
      `${IP}.${name}(): bool`,
      CONSTANT,
      parsing(30, ({ address }: IpValue) => is(address)),
    ),
  ),

  fn(`cidr(string): ${CIDR}`, READS, parsing(25, cidr)),
  fn(
    "isCIDR(string): bool",
    READS,
    parsing(25, (text: string) => cidrOf(text) !== undefined),
  ),
  fn(`string(${CIDR}): string`, CONSTANT, ({ address, prefix }: CidrValue) => `${addressText(address)}/${prefix}`),
  method(`${CIDR}.containsIP(${IP}): bool`, CONSTANT, (block: CidrValue, { address }: IpValue) =>
    contains(block, address, block.prefix),
  ),
  method(
    `${CIDR}.containsIP(string): bool`,
    reads(1),
    parsing(20, (block: CidrValue, text: string) => contains(block, ip(text).address, block.prefix)),
  ),
  method(`${CIDR}.containsCIDR(${CIDR}): bool`, CONSTANT, (block: CidrValue, other: CidrValue) =>
    contains(block, other.address, other.prefix),
  ),
  method(
    `${CIDR}.containsCIDR(string): bool`,
    reads(1),
    parsing(25, (block: CidrValue, text: string) => {
      const other = cidr(text);
      return contains(block, other.address, other.prefix);
    }),
  ),
  method(`${CIDR}.ip(): ${IP}`, CONSTANT, ({ address }: CidrValue) => new IpValue(address)),
  method(
    `${CIDR}.masked(): ${CIDR}`,
    CONSTANT,
    ({ address, prefix }: CidrValue) => new CidrValue(masked(address, prefix), prefix),
  ),
  method(`${CIDR}.prefixLength(): int`, CONSTANT, ({ prefix }: CidrValue) => BigInt(prefix)),
];
