// Facts about a certificate that people look at: subject, issuer, names and the days that are left.
import { X509Certificate } from "node:crypto";
import { certificateBlocks, MADE_MARK } from "@orch/platform";

export interface CertificateFacts {
  /** Place: a file, or what the certificate is for. */
  readonly name: string;
  readonly subject: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly notBefore: string;
  readonly notAfter: string;
  /** Whole days until the end; negative after it. */
  readonly daysLeft: number;
  readonly isAuthority: boolean;
  /** Whether a server made it, and renews it by itself. */
  readonly isRenewed: boolean;
}

const DAY_MS = 86_400_000;
/** Certificates with less time left are shown as a problem of tomorrow. */
const SOON_DAYS = 30;

export function factsOf(name: string, certificate: X509Certificate, nowMs: number): CertificateFacts {
  const { subject, issuer, subjectAltName, validFrom, validTo, ca, raw } = certificate;
  return {
    name,
    subject: oneLine(subject),
    issuer: oneLine(issuer),
    names: (subjectAltName ?? "").split(", ").flatMap((each) => each.replace(/^(DNS|IP Address):/, "") || []),
    notBefore: new Date(validFrom).toISOString(),
    notAfter: new Date(validTo).toISOString(),
    daysLeft: Math.floor((Date.parse(validTo) - nowMs) / DAY_MS),
    isAuthority: ca,
    isRenewed: raw.includes(MADE_MARK),
  };
}

/** Returns facts about each certificate of a PEM text. @throws Error for a text without a certificate */
export function factsIn(name: string, pem: string, nowMs: number): readonly CertificateFacts[] {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) throw new Error(`${name} contains no certificate`);
  return blocks.map((block, at) =>
    factsOf(blocks.length === 1 ? name : `${name} (${at + 1})`, new X509Certificate(block), nowMs),
  );
}

/** Returns the state as commands show it: `ok`, `expires soon`, `expired` or `not yet valid`. */
export function stateOf({ notBefore, notAfter, daysLeft }: CertificateFacts, nowMs: number): string {
  if (Date.parse(notAfter) <= nowMs) return "expired";
  if (Date.parse(notBefore) > nowMs) return "not yet valid";
  return daysLeft < SOON_DAYS ? "expires soon" : "ok";
}

/** Returns rows of a table, with its head. */
export function certificateRows(
  certificates: readonly CertificateFacts[],
  nowMs: number,
): readonly (readonly string[])[] {
  return [
    ["CERTIFICATE", "SUBJECT", "ISSUER", "EXPIRES", "DAYS LEFT", "STATE"],
    ...certificates.map((each) => [
      each.name,
      each.subject,
      each.issuer === each.subject ? "itself" : each.issuer,
      each.notAfter.slice(0, 10),
      String(each.daysLeft),
      stateOf(each, nowMs),
    ]),
  ];
}

const oneLine = (name: string): string => name.split("\n").join(", ");
