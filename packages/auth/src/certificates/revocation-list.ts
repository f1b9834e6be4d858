// Revoked certificates: by issuer and serial number, by serial number alone, and by public key.
import { createHash, type X509Certificate } from "node:crypto";
import { certificateFields } from "@orch/platform";

/** Properties by which a list may name a certificate, all in lower-case hexadecimal digits. */
export interface CertificateIdentity {
  /** SHA-256 of the encoded issuer name. */
  readonly issuer: string;
  /** Serial number without leading zeros. */
  readonly serial: string;
  /** SHA-256 of the public key with its algorithm (SubjectPublicKeyInfo). */
  readonly publicKey: string;
}

export class RevocationList {
  private readonly byIssuer = new Map<string, Set<string>>();
  private readonly serials = new Set<string>();
  private readonly publicKeys = new Set<string>();

  /** Number of entries. */
  get size(): number {
    let size = this.serials.size + this.publicKeys.size;
    for (const serials of this.byIssuer.values()) size += serials.size;
    return size;
  }

  addSerialOf(issuer: string, serial: string): void {
    const known = this.byIssuer.get(issuer);
    if (known === undefined) this.byIssuer.set(issuer, new Set([serial]));
    else known.add(serial);
  }

  /** Revokes the serial number of every issuer. */
  addSerial(serial: string): void {
    this.serials.add(serial);
  }

  addPublicKey(hash: string): void {
    this.publicKeys.add(hash);
  }

  has({ issuer, serial, publicKey }: CertificateIdentity): boolean {
    return (
      this.byIssuer.get(issuer)?.has(serial) === true || this.serials.has(serial) || this.publicKeys.has(publicKey)
    );
  }
}

const identities = new WeakMap<X509Certificate, CertificateIdentity>();

/**
 * Returns the identity of a certificate.
 * @throws RangeError for a malformed certificate
 */
export function identityOf(certificate: X509Certificate): CertificateIdentity {
  const known = identities.get(certificate);
  if (known !== undefined) return known;
  const identity = readIdentity(certificate.raw);
  identities.set(certificate, identity);
  return identity;
}

/**
 * Returns the issuer of the CRLs that this authority signs, in the form of `issuer` of an identity.
 * @throws RangeError for a malformed certificate
 */
export function issuerOfItsLists(authority: X509Certificate): string {
  return hashOf(certificateFields(authority.raw).subject.bytes);
}

function readIdentity(raw: Buffer): CertificateIdentity {
  const { serial, issuer, publicKey } = certificateFields(raw);
  return {
    serial: serialText(serial.content),
    issuer: hashOf(issuer.bytes),
    publicKey: hashOf(publicKey.bytes),
  };
}

/** Returns a serial number in the form that lists hold. */
export const serialText = (content: Buffer): string => withoutZeros(content.toString("hex"));

export const withoutZeros = (digits: string): string => digits.replace(/^0+(?=.)/, "");

/** Returns the SHA-256 in hexadecimal digits. */
export const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
