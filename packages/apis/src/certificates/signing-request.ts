// What a PKCS#10 request asks to be certified. Its signature is not looked at here. Source: RFC 2986; RFC 5280, 4.2.1.6.
import { DER_TAG, type DerValue, derText, derValues, objectIdentifier } from "@orch/machinery";
import { pemBlocks } from "./pem-blocks";

export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The kinds of its alternative names, each once. */
  readonly alternatives: ReadonlySet<AlternativeName>;
}

export type AlternativeName = "email" | "dns" | "uri" | "ip" | "other";

/** @param text PEM; undefined for what is no request, or says what cannot be read */
export function parseSigningRequest(text: string): SigningRequest | undefined {
  try {
    const [block] = pemBlocks(text);
    if (block?.label !== "CERTIFICATE REQUEST") return undefined;
    const [whole] = derValues(block.bytes);
    const [info] = partsOf(whole);
    const [, subject, , attributes] = partsOf(info);
    if (subject === undefined) return undefined;
    const names = partsOf(subject).flatMap(partsOf).map(partsOf);
    return {
      commonName: valuesOf(names, OID.commonName)[0] ?? "",
      organizations: valuesOf(names, OID.organization),
      alternatives: new Set(alternativeNames(attributes)),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const OID = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  extensionRequest: "1.2.840.113549.1.9.14",
  subjectAltName: "2.5.29.17",
} as const;

/** By their context tags. */
const ALTERNATIVES: Readonly<Record<number, AlternativeName>> = { 1: "email", 2: "dns", 6: "uri", 7: "ip" };
const CONTEXT_NUMBER = 0x1f;

/** @param pairs type and value each */
const valuesOf = (pairs: readonly DerValue[][], wanted: string): string[] =>
  pairs.filter(([type]) => oidOf(type) === wanted).map(([, value]) => derText(value));

function alternativeNames(attributes: DerValue | undefined): AlternativeName[] {
  const extensions = partsOf(attributes)
    .map(partsOf)
    .filter(([type]) => oidOf(type) === OID.extensionRequest)
    .flatMap(([, values]) => partsOf(values).flatMap(partsOf));
  return extensions
    .map(partsOf)
    .filter(([type]) => oidOf(type) === OID.subjectAltName)
    .flatMap((parts) => partsOf(derValues(parts.at(-1)?.content ?? NOTHING)[0]))
    .map(({ tag }) => ALTERNATIVES[tag & CONTEXT_NUMBER] ?? "other");
}

const NOTHING = Buffer.alloc(0);

const partsOf = (value: DerValue | undefined): DerValue[] => (value === undefined ? [] : derValues(value.content));

const oidOf = (value: DerValue | undefined): string | undefined =>
  value?.tag === DER_TAG.objectIdentifier ? objectIdentifier(value.content) : undefined;
