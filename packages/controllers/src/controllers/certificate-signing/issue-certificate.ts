// Issues the certificate of a request; the signature is computed outside the event loop. Only the parts named here are
// taken from the request.
// Source: pkg/controller/certificates/authority/authority.go; RFC 5280, sections 4.1 and 4.2.
import { randomBytes, sign } from "node:crypto";
import { promisify } from "node:util";
import { type AlternativeName, NAME_OID, type NameAttribute, type SigningRequest } from "@orch/apis";
import {
  DER_TAG,
  derBitString,
  derExtension,
  derObjectIdentifier,
  derPositiveInteger,
  derSequence,
  derSet,
  derString,
  derTime,
  derValue,
  pem,
} from "@orch/platform";
import type { Life } from "./certificate-life";
import type { KeyUsages } from "./key-usages";
import type { SigningAuthority } from "./signing-authority";

export interface CertificateTerms {
  readonly request: SigningRequest;
  readonly usages: KeyUsages;
  readonly life: Life;
}

/** @returns PEM */
export async function issueCertificate(terms: CertificateTerms, authority: SigningAuthority): Promise<string> {
  const { algorithm, digest } = authority.scheme;
  const body = certificateBody(terms, authority);
  const signature = await signed(digest, body, authority.key);
  return pem("CERTIFICATE", derSequence(body, algorithm, derBitString(signature)));
}

const signed = promisify(sign);
const SERIAL_BYTES = 16;
const VERSION_3 = derValue(0xa0, derValue(DER_TAG.integer, Buffer.from([2])));

function certificateBody({ request, usages, life }: CertificateTerms, authority: SigningAuthority): Buffer {
  const subject = nameOf(request.subject);
  return derSequence(
    VERSION_3,
    derPositiveInteger(randomBytes(SERIAL_BYTES)),
    authority.scheme.algorithm,
    authority.name,
    derSequence(derTime(life.notBeforeMs), derTime(life.notAfterMs)),
    subject,
    request.key.der,
    derValue(DER_TAG.context3, derSequence(...extensionsOf(request, usages, authority, isEmpty(subject)))),
  );
}

const isEmpty = (name: Buffer): boolean => name.length === derSequence().length;

/** Supported attributes of a name, in their order. Others are left out. */
const NAME_ORDER = [
  NAME_OID.country,
  NAME_OID.province,
  NAME_OID.locality,
  NAME_OID.street,
  NAME_OID.postalCode,
  NAME_OID.organization,
  NAME_OID.unit,
  NAME_OID.commonName,
  NAME_OID.serialNumber,
] as const;

/** Attributes that a name has at most once: the last value is used. */
const SINGLE: readonly string[] = [NAME_OID.commonName, NAME_OID.serialNumber];

/** Encodes a name. All attributes of a type are adjacent, so that readers of the name find what was checked. */
function nameOf(attributes: readonly NameAttribute[]): Buffer {
  const groups = NAME_ORDER.map((type) => {
    const values = attributes.filter((attribute) => attribute.type === type).map(({ value }) => value);
    return { type, values: SINGLE.includes(type) ? values.slice(-1).filter((value) => value !== "") : values };
  });
  return derSequence(
    ...groups
      .filter(({ values }) => values.length > 0)
      .map(({ type, values }) =>
        derSet(...values.map((value) => derSequence(derObjectIdentifier(type), derString(value)))),
      ),
  );
}

const EXTENSION = {
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;

function extensionsOf(
  { alternatives }: SigningRequest,
  { bits, purposes }: KeyUsages,
  { keyId }: SigningAuthority,
  isNameless: boolean,
): Buffer[] {
  const names = alternativeNames(alternatives);
  return [
    ...(bits.length === 0 ? [] : [derExtension(EXTENSION.keyUsage, usageBits(bits), true)]),
    ...(purposes.length === 0
      ? []
      : [derExtension(EXTENSION.extendedKeyUsage, derSequence(...purposes.map(derObjectIdentifier)))]),
    derExtension(EXTENSION.basicConstraints, derSequence(), true), // not a CA certificate
    ...(keyId === undefined ? [] : [derExtension(EXTENSION.authorityKeyId, derSequence(derValue(0x80, keyId)))]),
    ...(names.length === 0 ? [] : [derExtension(EXTENSION.subjectAltName, derSequence(...names), isNameless)]),
  ];
}

/** @param bits in ascending order */
function usageBits(bits: readonly number[]): Buffer {
  const last = bits.at(-1) ?? 0;
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return derBitString(bytes, 7 - (last & 7));
}

/** Tags by type of name. Names of one type keep the order of the request. */
const NAME_TAGS = [
  ["dns", 0x82],
  ["email", 0x81],
  ["ip", 0x87],
  ["uri", 0x86],
] as const;

function alternativeNames(names: readonly AlternativeName[]): Buffer[] {
  return NAME_TAGS.flatMap(([wanted, tag]) =>
    names
      .filter(({ kind }) => kind === wanted)
      .map(({ value }) => derValue(tag, wanted === "ip" ? shortest(value) : value)),
  );
}

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** Returns the 4-byte form of an IPv4 address in 16 bytes. */
const shortest = (address: Buffer): Buffer =>
  address.length === 16 && address.subarray(0, MAPPED.length).equals(MAPPED)
    ? address.subarray(MAPPED.length)
    : address;
