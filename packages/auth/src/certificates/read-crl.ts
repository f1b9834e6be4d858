// Certificate revocation lists, read in parts: a list of 200,000 entries holds the event loop for 17 ms at most.
// node-forge has no type for CRLs, and its ASN.1 reader holds the event loop for 172 ms: docs/dependencies.md.
// Source: RFC 5280, section 5.
import { verify, type X509Certificate } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import {
  DER_TAG,
  type DerValue,
  derValues,
  eachDerValue,
  extensionsHeldBy,
  extensionsIn,
  objectIdentifier,
} from "@orch/platform";
import { hashOf, issuerOfItsLists, type RevocationList, serialText } from "./revocation-list";

/** Number of bytes, some 500 entries, that are read before the event loop gets a turn. */
const BYTES_PER_TURN = 16 * 1024;

export interface CrlFindings {
  /** When the next list is due, in milliseconds since 1970; undefined: the list does not say. */
  readonly nextUpdateMs: number | undefined;
  /** Whether the signature was verified: the issuer is one of the authorities. */
  readonly isChecked: boolean;
}

interface SignedList {
  readonly signedBytes: Buffer;
  readonly algorithm: string;
  readonly signature: Buffer;
  readonly issuer: DerValue;
  readonly nextUpdate: DerValue | undefined;
  readonly entries: DerValue | undefined;
  readonly extensions: DerValue | undefined;
}

/**
 * Adds the revoked certificates of one CRL to a list. Certificates on hold count as revoked.
 * @param der the DER encoding of one CRL
 * @param authorities authorities whose CRLs are verified; a CRL of another issuer is accepted unverified
 * @throws RangeError for a CRL that is malformed, has an unsupported extension, or is not signed by the named issuer
 */
export async function readCrl(
  der: Buffer,
  authorities: readonly X509Certificate[],
  into: RevocationList,
): Promise<CrlFindings> {
  const list = partsOf(der);
  for (const { oid, critical, value } of extensionsHeldBy(list.extensions)) checkExtension(oid, critical, value);
  const isChecked = await checkSignature(list, authorities);
  const issuer = hashOf(list.issuer.bytes);
  let sinceTurn = 0;
  for (const entry of eachDerValue(list.entries?.content ?? NOTHING)) {
    const [serial, , extensions] = derValues(entry.content);
    if (serial?.tag !== DER_TAG.integer) throw new RangeError("an entry has no serial number");
    for (const { oid, critical } of extensionsIn(extensions)) {
      if (critical) throw new RangeError(`critical extension ${oid} of an entry is not supported`);
    }
    into.addSerialOf(issuer, serialText(serial.content));
    sinceTurn += entry.bytes.length;
    if (sinceTurn < BYTES_PER_TURN) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  return { isChecked, nextUpdateMs: list.nextUpdate && timeOf(list.nextUpdate) };
}

const NOTHING = Buffer.alloc(0);

function partsOf(der: Buffer): SignedList {
  const outer = derValues(der);
  if (outer.length !== 1 || outer[0]?.tag !== DER_TAG.sequence)
    throw new RangeError("it is not a certificate revocation list");
  const [signed, algorithm, signature] = derValues(outer[0].content);
  if (signed?.tag !== DER_TAG.sequence || algorithm === undefined || signature?.tag !== DER_TAG.bitString)
    throw new RangeError("it is not a certificate revocation list");
  const fields = derValues(signed.content);
  if (fields[0]?.tag === DER_TAG.integer) fields.shift(); // version
  const [, issuer, thisUpdate, ...rest] = fields;
  if (issuer?.tag !== DER_TAG.sequence || !isTime(thisUpdate)) throw new RangeError("it lacks the issuer or a time");
  return {
    signedBytes: signed.bytes,
    algorithm: objectIdentifier(derValues(algorithm.content)[0]?.content ?? NOTHING),
    // The first byte is the number of unused bits in the last byte, which is 0.
    signature: signature.content.subarray(1),
    issuer,
    nextUpdate: rest.find(isTime),
    entries: rest.find(({ tag }) => tag === DER_TAG.sequence),
    extensions: rest.find(({ tag }) => tag === DER_TAG.context0),
  };
}

const isTime = (value: DerValue | undefined): boolean =>
  value?.tag === DER_TAG.utcTime || value?.tag === DER_TAG.generalizedTime;

const DELTA_INDICATOR = "2.5.29.27";
const DISTRIBUTION_POINT = "2.5.29.28";
/** `indirectCRL [4]`: entries may be from other issuers. */
const INDIRECT = 0x84;

function checkExtension(oid: string, critical: boolean, value: Buffer): void {
  if (oid === DELTA_INDICATOR) throw new RangeError("delta lists are not supported");
  if (oid === DISTRIBUTION_POINT) {
    const isIndirect = derValues(derValues(value)[0]?.content ?? NOTHING).some(
      ({ tag, content }) => tag === INDIRECT && content[0] !== 0,
    );
    if (isIndirect) throw new RangeError("lists of several issuers are not supported");
    return;
  }
  if (critical) throw new RangeError(`critical extension ${oid} is not supported`);
}

/** Digest of each signature algorithm; null: the algorithm includes its own. */
const DIGESTS: Readonly<Record<string, string | null>> = {
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.3.101.112": null,
  "1.3.101.113": null,
};

const verifyInBackground = promisify(verify);

/**
 * Verifies the signature.
 * @returns false when the issuer is not one of the authorities
 * @throws RangeError when the signature is not the issuer's
 */
async function checkSignature(list: SignedList, authorities: readonly X509Certificate[]): Promise<boolean> {
  const named = hashOf(list.issuer.bytes);
  const candidates = authorities.filter((authority) => issuerOfItsLists(authority) === named);
  if (candidates.length === 0) return false;
  const digest = DIGESTS[list.algorithm];
  if (digest === undefined) throw new RangeError(`signature algorithm ${list.algorithm} is not supported`);
  for (const { publicKey } of candidates) {
    const isGood = await verifyInBackground(digest as string, list.signedBytes, publicKey, list.signature).catch(
      () => false,
    );
    if (isGood) return true;
  }
  throw new RangeError("its signature does not match its issuer");
}

/** Parses a time. Two-digit years are from 1950 to 2049. */
function timeOf({ tag, content }: DerValue): number {
  const text = content.toString("latin1");
  const digits = tag === DER_TAG.utcTime ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits);
  if (match === null) throw new RangeError("a time is malformed");
  const [, year, month, day, hour, minute, second] = match;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
