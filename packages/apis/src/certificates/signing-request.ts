// Content of a PKCS #10 request: subject, alternative names and key. The signature is not verified here. Source: RFC
// 2986; RFC 5280, section 4.2.1.6.
import {
  DER_TAG,
  type DerBudget,
  type DerValue,
  derBudget,
  derText,
  derValues,
  objectIdentifier,
} from "@orch/platform";
import { firstPemBlock } from "./pem-blocks";
import { type RequestKey, requestKeyIn } from "./request-key";

export interface SigningRequest {
  /** Text attributes of the subject. */
  readonly subject: readonly NameAttribute[];
  /** The last common name, which is the one that readers of certificates use; "" when there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly alternatives: readonly AlternativeName[];
  readonly key: RequestKey;
  readonly signature: RequestSignature;
}

export interface NameAttribute {
  /** Object identifier. */
  readonly type: string;
  readonly value: string;
}

export interface AlternativeName {
  readonly kind: "email" | "dns" | "uri" | "ip" | "other";
  /** ASCII text, or the 4 or 16 bytes of an address. */
  readonly value: Buffer;
}

interface RequestSignature {
  /** Signed bytes. */
  readonly signed: Buffer;
  /** Object identifier. */
  readonly algorithm: string;
  readonly bytes: Buffer;
}

/** Parses a request. @param text PEM @returns undefined for anything that is not a readable request */
export function parseSigningRequest(text: string): SigningRequest | undefined {
  try {
    const block = firstPemBlock(text);
    return block?.label === REQUEST_LABEL ? readSigningRequest(block.bytes) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Maximum size of a request. TLS libraries limit the certificate message to 64 to 100 KiB, so a larger certificate
 * could not be used.
 */
const REQUEST_MAX_BYTES = 131_072;

/** Label of the PEM block. */
export const REQUEST_LABEL = "CERTIFICATE REQUEST";

/** Reads a request. @throws RangeError for anything that is not a readable request */
export function readSigningRequest(der: Buffer): SigningRequest {
  if (der.length > REQUEST_MAX_BYTES) throw new RangeError("the request is too long");
  const { values, parts } = partsReader();
  const [whole] = values(der);
  const [info, algorithm, signature] = parts(whole);
  const [version, subject, key, attributes] = parts(info);
  const [algorithmId] = parts(algorithm);
  if (version?.tag !== DER_TAG.integer || info === undefined || subject === undefined || key === undefined)
    throw new RangeError("parts of the request are missing");
  if (algorithmId === undefined || signature?.tag !== DER_TAG.bitString)
    throw new RangeError("the request is not signed");
  const named = parts(subject).flatMap(parts).map(parts).flatMap(attributeOf);
  const valuesOf = (wanted: string) => named.filter(({ type }) => type === wanted).map(({ value }) => value);
  return {
    subject: named,
    commonName: valuesOf(NAME_OID.commonName).at(-1) ?? "",
    organizations: valuesOf(NAME_OID.organization),
    alternatives: alternativeNames(attributes, { values, parts }),
    key: requestKeyIn(key),
    signature: {
      signed: info.bytes,
      algorithm: objectIdentifier(algorithmId.content),
      // The first byte of a bit string is the number of unused bits.
      bytes: signature.content.subarray(1),
    },
  };
}

/** Object identifiers of subject attributes. */
export const NAME_OID = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  locality: "2.5.4.7",
  province: "2.5.4.8",
  street: "2.5.4.9",
  organization: "2.5.4.10",
  unit: "2.5.4.11",
  postalCode: "2.5.4.17",
} as const;

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const SUBJECT_ALT_NAME = "2.5.29.17";

interface PartsReader {
  readonly values: (bytes: Buffer) => DerValue[];
  readonly parts: (value: DerValue | undefined) => DerValue[];
}

/** Maximum number of values: some thousands of names, more than any authority puts into a certificate. */
const VALUES_MAX = 4_000;

/** Creates a reader with one budget for the whole request. */
function partsReader(): PartsReader {
  const budget: DerBudget = derBudget(VALUES_MAX);
  const values = (bytes: Buffer) => derValues(bytes, budget);
  return { values, parts: (value) => (value === undefined ? [] : values(value.content)) };
}

function attributeOf([type, value]: readonly DerValue[]): NameAttribute[] {
  const oid = oidOf(type);
  if (oid === undefined || value === undefined) return [];
  const isText = value.tag in TEXT_TAGS;
  // Attributes that are not text are skipped, except common name and organization: other readers could take them for a
  // name, so they are an error.
  if (!isText && oid !== NAME_OID.commonName && oid !== NAME_OID.organization) return [];
  return [{ type: oid, value: derText(value) }];
}

/** UTF8String, NumericString, PrintableString, TeletexString, IA5String, BMPString. */
const TEXT_TAGS: Readonly<Record<number, true>> = { 12: true, 18: true, 19: true, 20: true, 22: true, 30: true };

function alternativeNames(attributes: DerValue | undefined, { values, parts }: PartsReader): AlternativeName[] {
  const extensions = parts(attributes)
    .map(parts)
    .filter(([type]) => oidOf(type) === EXTENSION_REQUEST)
    .flatMap(([, sets]) => parts(sets).flatMap(parts))
    .map(parts)
    .filter(([type]) => oidOf(type) === SUBJECT_ALT_NAME);
  if (extensions.length > 1) throw new RangeError("there are several lists of alternative names");
  return extensions
    .flatMap((extension) => parts(values(extension.at(-1)?.content ?? NOTHING)[0]))
    .map(({ tag, content }) => alternativeName(tag & CONTEXT_NUMBER, content));
}

const CONTEXT_NUMBER = 0x1f;
const NOTHING = Buffer.alloc(0);

function alternativeName(number: number, value: Buffer): AlternativeName {
  const kind = ALTERNATIVES[number] ?? "other";
  switch (kind) {
    case "dns":
    case "email":
    case "uri":
      if (!ASCII.test(value.toString("latin1"))) throw new RangeError("an alternative name is not a string");
      break;
    case "ip":
      if (value.length !== 4 && value.length !== 16) throw new RangeError("an alternative name is not an IP address");
      break;
    case "other":
      break;
  }
  return { kind, value };
}

const ASCII = /^[ -~]*$/;

/** Kinds keyed by context tag. */
const ALTERNATIVES: Readonly<Record<number, AlternativeName["kind"]>> = { 1: "email", 2: "dns", 6: "uri", 7: "ip" };

const oidOf = (value: DerValue | undefined): string | undefined =>
  value?.tag === DER_TAG.objectIdentifier ? objectIdentifier(value.content) : undefined;
