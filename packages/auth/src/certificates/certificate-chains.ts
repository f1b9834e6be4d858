// Builds every chain from a client certificate to a trusted authority. An authority may have several certificates with
// the same name and key: an expired and a renewed one, or cross-signed ones.
// Source: RFC 5280, section 6.1; RFC 4158, section 2.2.
import type { KeyObject, X509Certificate } from "node:crypto";

/** Certificates from the leaf to the trusted certificate. */
export type CertificateChain = readonly X509Certificate[];

/** Maximum length of a chain. */
const CHAIN_MAX_LENGTH = 8;
/** Maximum number of sent intermediates that are considered. */
const SENT_MAX = 16;
/**
 * Maximum number of signature checks per search. Signatures dominate the cost, and the client chooses how many there
 * are.
 */
const SIGNATURES_MAX = 100;
/** Maximum cost of all signature checks of a search, in the unit of `costOf`: about 30 ms. */
const COST_MAX = 1500;
const STEPS_MAX = 500;
/** Maximum number of chains. With a revocation list, every request checks all of them. */
const CHAINS_MAX = 16;

/**
 * Finds the chains through the intermediates that the client sent. Every signature on them has been verified. A trusted
 * certificate need not be self-signed.
 * @returns at least one chain, or the reason why there is none
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

/** Returns the intermediates that the client sent, in the order in which they were sent. */
function sentWith(leaf: X509Certificate): X509Certificate[] {
  const sent: X509Certificate[] = [];
  for (let next = leaf.issuerCertificate; next !== undefined && sent.length < SENT_MAX; next = next.issuerCertificate)
    sent.push(next);
  return sent;
}

/** Possible issuers of a certificate. Every signature has been verified. */
interface Issuers {
  /** Trusted certificates, the one with the latest end of validity first. */
  readonly anchors: readonly X509Certificate[];
  readonly sent: readonly X509Certificate[];
}

class ChainSearch {
  readonly found: CertificateChain[] = [];
  /** Reason why the first path failed. */
  problem: string | undefined;
  private signatures = 0;
  private cost = 0;
  private steps = 0;
  /** Issuers by the certificate's fingerprint. */
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

  /** Returns whether the names match, the key usage allows signing, and the signature is valid. */
  private issued(certificate: X509Certificate, by: X509Certificate): boolean {
    if (!certificate.checkIssued(by)) return false;
    this.cost += costOf(by.publicKey);
    if (this.signatures >= SIGNATURES_MAX || this.cost > COST_MAX) {
      this.problem = "too many signatures to check";
      return false;
    }
    this.signatures += 1;
    return certificate.verify(by.publicKey);
  }
}

/** Cost of one signature check by a key on this curve. The unit is a check by an RSA key of 2048 bits. */
const CURVE_COSTS: Readonly<Record<string, number>> = { prime256v1: 4, secp384r1: 32, secp521r1: 72 };
/** The same for keys of other types. */
const KEY_COSTS: Readonly<Record<string, number>> = { ed25519: 6, ed448: 12 };
/** Cost of the slowest curve, sect571r1. */
const OTHER_COST = 150;
/** Bits of the exponent 65537. */
const EXPONENT_BITS = 17;

/** Returns the cost of one signature check by a key. */
function costOf({ asymmetricKeyType: type = "rsa", asymmetricKeyDetails = {} }: KeyObject): number {
  const { modulusLength, publicExponent, namedCurve = "" } = asymmetricKeyDetails;
  if (type !== "rsa" && type !== "rsa-pss") return CURVE_COSTS[namedCurve] ?? KEY_COSTS[type] ?? OTHER_COST;
  if (modulusLength === undefined || publicExponent === undefined) return OTHER_COST;
  // The exponent of a client's key may be as long as its modulus.
  return (modulusLength / 2048) ** 2 * Math.max(1, publicExponent.toString(2).length / EXPONENT_BITS);
}

/** Returns whether two certificates have the same name and key. A path that returns to such a pair is a loop. */
const isSameHolder = (one: X509Certificate, other: X509Certificate): boolean =>
  one.fingerprint256 === other.fingerprint256 ||
  (one.subject === other.subject && one.publicKey.equals(other.publicKey));

const endOf = ({ validTo }: X509Certificate): number => Date.parse(validTo);
