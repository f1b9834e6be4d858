// What a PKCS#10 request asks to be certified. Its signature is not looked at here. Source: RFC 2986; RFC 5280, 4.2.1.6.
import { asn1, pem } from "node-forge";

export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The kinds of its alternative names, each once. */
  readonly alternatives: ReadonlySet<AlternativeName>;
}

export type AlternativeName = "email" | "dns" | "uri" | "ip" | "other";

/** @param text PEM; undefined for what is no request */
export function parseSigningRequest(text: string): SigningRequest | undefined {
  try {
    const [block] = pem.decode(text);
    if (block?.type !== "CERTIFICATE REQUEST") return undefined;
    const [info] = partsOf(asn1.fromDer(block.body));
    const [, subject, , attributes] = partsOf(info);
    if (subject === undefined) return undefined;
    const names = partsOf(subject).flatMap(partsOf).map(partsOf);
    return {
      commonName: valuesOf(names, OID.commonName)[0] ?? "",
      organizations: valuesOf(names, OID.organization),
      alternatives: new Set(alternativeNames(attributes)),
    };
  } catch {
    // Anybody may send anything: forge throws plain errors of many kinds.
    return undefined;
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

/** @param pairs type and value each */
const valuesOf = (pairs: readonly asn1.Asn1[][], wanted: string): string[] =>
  pairs
    .filter(([type]) => oidOf(type) === wanted)
    .map(([, value]) => Buffer.from(bytesOf(value), "latin1").toString("utf8"));

function alternativeNames(attributes: asn1.Asn1 | undefined): AlternativeName[] {
  const extensions = partsOf(attributes)
    .map(partsOf)
    .filter(([type]) => oidOf(type) === OID.extensionRequest)
    .flatMap(([, values]) => partsOf(values).flatMap(partsOf));
  return extensions
    .map(partsOf)
    .filter(([type]) => oidOf(type) === OID.subjectAltName)
    .flatMap((parts) => partsOf(asn1.fromDer(bytesOf(parts[parts.length - 1]))))
    .map(({ type }) => ALTERNATIVES[type] ?? "other");
}

const partsOf = (value: asn1.Asn1 | undefined): asn1.Asn1[] => (Array.isArray(value?.value) ? value.value : []);

const bytesOf = (value: asn1.Asn1 | undefined): string => (typeof value?.value === "string" ? value.value : "");

const oidOf = (value: asn1.Asn1 | undefined): string | undefined =>
  value?.type === asn1.Type.OID ? asn1.derToOid(bytesOf(value)) : undefined;
