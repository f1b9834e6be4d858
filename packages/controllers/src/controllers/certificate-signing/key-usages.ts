// Key usages, as requests name them and as certificates encode them.
// Source: pkg/controller/certificates/authority/policies.go; RFC 5280, sections 4.2.1.3 and 4.2.1.12.

/** Bit positions; bit 0 is the most significant one. */
const BITS: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** Extended key usages in the order in which certificates list them. */
const PURPOSES: readonly (readonly [oid: string, ...usages: readonly string[]])[] = [
  ["2.5.29.37.0", "any"],
  ["1.3.6.1.5.5.7.3.1", "server auth"],
  ["1.3.6.1.5.5.7.3.2", "client auth"],
  ["1.3.6.1.5.5.7.3.3", "code signing"],
  ["1.3.6.1.5.5.7.3.4", "email protection", "s/mime"],
  ["1.3.6.1.5.5.7.3.5", "ipsec end system"],
  ["1.3.6.1.5.5.7.3.6", "ipsec tunnel"],
  ["1.3.6.1.5.5.7.3.7", "ipsec user"],
  ["1.3.6.1.5.5.7.3.8", "timestamping"],
  ["1.3.6.1.5.5.7.3.9", "ocsp signing"],
  ["1.3.6.1.4.1.311.10.3.3", "microsoft sgc"],
  ["2.16.840.1.113730.4.1", "netscape sgc"],
];

export interface KeyUsages {
  /** Bit positions in ascending order, without duplicates. */
  readonly bits: readonly number[];
  /** Object identifiers in order, without duplicates. */
  readonly purposes: readonly string[];
}

/** Maximum number of unknown usages in a message. */
const TOLD_MAX = 10;

/** @throws RangeError for an unknown usage */
export function keyUsagesOf(usages: readonly string[]): KeyUsages {
  const isKnown = (usage: string) =>
    Object.hasOwn(BITS, usage) || PURPOSES.some(([, ...names]) => names.includes(usage));
  const unknown = usages.filter((usage) => !isKnown(usage));
  if (unknown.length > 0)
    throw new RangeError(`unrecognized usage values: ${JSON.stringify(unknown.slice(0, TOLD_MAX))}`);
  const bits = usages.flatMap((usage) => (Object.hasOwn(BITS, usage) ? [BITS[usage] as number] : []));
  return {
    bits: [...new Set(bits)].sort((a, b) => a - b),
    purposes: PURPOSES.filter(([, ...names]) => names.some((name) => usages.includes(name))).map(([oid]) => oid),
  };
}
