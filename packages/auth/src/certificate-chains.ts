// Every way from a certificate that a client shows up to an authority that is trusted. An authority may have several certificates of the same
// name and key: an expired and a renewed one, or some that other authorities have signed.
// Source: RFC 5280, 6.1; RFC 4158, 2.2 "Building the certification path".
import type { X509Certificate } from "node:crypto";

/** The leaf first, the trusted certificate last. */
export type CertificateChain = readonly X509Certificate[];

/** Longer chains are not looked for. */
const CHAIN_MAX_LENGTH = 8;
/** Certificates that come along with the leaf beyond these are not looked at. */
const SENT_MAX = 16;
/** Signatures are what costs, and clients choose how many there are to check. */
const SIGNATURES_MAX = 100;
const STEPS_MAX = 500;
/** Each of which is asked at every request where a list of revoked certificates is in force. */
const CHAINS_MAX = 16;

/**
 * Finds the chains by way of the intermediates that the client sent. Every signature on them has been checked. A trusted certificate need not be
 * self-signed.
 * @returns at least one chain, or why there is none
 */
export function chainsTo(
  trusted: readonly X509Certificate[],
  leaf: X509Certificate,
): readonly CertificateChain[] | string {
  if (trusted.some((authority) => authority.fingerprint256 === leaf.fingerprint256)) return [[leaf]];
  const search = new ChainSearch(trusted, sentWith(leaf));
  search.from([leaf]);
  return search.found.length > 0 ? search.found : (search.problem ?? "signed by an unknown authority");
}

/** The certificates that came along, in the order in which they were sent. */
function sentWith(leaf: X509Certificate): X509Certificate[] {
  const sent: X509Certificate[] = [];
  for (let next = leaf.issuerCertificate; next !== undefined && sent.length < SENT_MAX; next = next.issuerCertificate)
    sent.push(next);
  return sent;
}

/** Who may have issued a certificate: every signature has been checked. */
interface Issuers {
  /** Those that are trusted, the one that is valid longest first. */
  readonly anchors: readonly X509Certificate[];
  readonly sent: readonly X509Certificate[];
}

class ChainSearch {
  readonly found: CertificateChain[] = [];
  /** Why the first way that was gone led nowhere. */
  problem: string | undefined;
  private signatures = 0;
  private steps = 0;
  /** By fingerprint. */
  private readonly issuers = new Map<string, Issuers>();

  constructor(
    private readonly trusted: readonly X509Certificate[],
    private readonly sent: readonly X509Certificate[],
  ) {}

  from(chain: CertificateChain): void {
    this.steps += 1;
    if (chain.length >= CHAIN_MAX_LENGTH || this.steps > STEPS_MAX) {
      this.problem ??= "chain is too long";
      return;
    }
    const current = chain.at(-1) as X509Certificate;
    const { anchors, sent } = this.issuersOf(current);
    for (const anchor of anchors) if (this.found.length < CHAINS_MAX) this.found.push([...chain, anchor]);
    const others = sent.filter((each) => !chain.some((used) => isSameHolder(used, each)));
    for (const issuer of others) if (this.found.length < CHAINS_MAX) this.from([...chain, issuer]);
    if (anchors.length === 0 && others.length === 0) this.problem ??= this.deadEnd(chain);
  }

  private deadEnd(chain: CertificateChain): string {
    const isUsed = (each: X509Certificate) => chain.some((used) => isSameHolder(used, each));
    return this.sent.every(isUsed) ? "signed by an unknown authority" : "chain is broken";
  }

  private issuersOf(certificate: X509Certificate): Issuers {
    const known = this.issuers.get(certificate.fingerprint256);
    if (known !== undefined) return known;
    const signed = (by: X509Certificate) => this.issued(certificate, by);
    const anchors = this.trusted.filter(signed).sort((one, other) => endOf(other) - endOf(one));
    const isAnchor = ({ fingerprint256 }: X509Certificate) =>
      anchors.some((each) => each.fingerprint256 === fingerprint256);
    const made = { anchors, sent: this.sent.filter((each) => !isAnchor(each) && signed(each)) };
    this.issuers.set(certificate.fingerprint256, made);
    return made;
  }

  /** Names fit, the key usage allows it, and the signature is right. */
  private issued(certificate: X509Certificate, by: X509Certificate): boolean {
    if (!certificate.checkIssued(by)) return false;
    if (this.signatures >= SIGNATURES_MAX) {
      this.problem = "too many signatures to check";
      return false;
    }
    this.signatures += 1;
    return certificate.verify(by.publicKey);
  }
}

/** Name and key make a holder: a chain that comes back to one leads nowhere new. */
const isSameHolder = (one: X509Certificate, other: X509Certificate): boolean =>
  one.fingerprint256 === other.fingerprint256 ||
  (one.subject === other.subject && one.publicKey.equals(other.publicKey));

const endOf = ({ validTo }: X509Certificate): number => Date.parse(validTo);
