// Decides whether a client certificate chains to a trusted authority, and for how long. Verdicts are cached by
// certificate object, so that only the first request of a connection pays for the signatures. Validity and revocation
// are checked on every call: a certificate is valid while any of its chains is.

import { X509Certificate } from "node:crypto";
import { certificateBlocks, messageOf } from "@orch/platform";
import { type CertificateChain, chainsTo } from "./certificate-chains";
import { type CertificateConstraints, CLIENT_AUTH, constraintsOf } from "./certificate-constraints";
import { type CertificateIdentity, identityOf } from "./revocation-list";

/** Maximum number of verdicts cached by fingerprint; the oldest is dropped first. */
const ACCEPTED_MAX = 4096;

/** @typeParam Value what the owner derives from a trusted certificate */
export type ChainFinding<Value> =
  | { readonly kind: "trusted"; readonly value: Value; readonly validForMs: number }
  | { readonly kind: "refused"; readonly reason: string };

export interface ChainVerifierParts<Value> {
  nowMs(): number;
  valueOf(leaf: X509Certificate): Value;
  /** Called on every check; absent: no certificate is revoked. */
  readonly isRevoked?: ((identity: CertificateIdentity) => boolean) | undefined;
}

export class ChainVerifier<Value> {
  private trusted: readonly X509Certificate[];
  private verified = new WeakMap<X509Certificate, Known<Value>>();
  // Keyed by fingerprint: a resumed TLS session presents the certificate again, but not the intermediates that were sent
  // with it.
  private accepted = new Map<string, Verdict<Value>>();

  /**
   * @param caPem one or more CA certificates
   * @throws Error when it contains no readable certificate
   */
  constructor(
    caPem: string,
    private readonly parts: ChainVerifierParts<Value>,
  ) {
    this.trusted = parseCertificates(caPem);
  }

  /** Replaces the trusted authorities, for open connections too. Throws without a change when they cannot be read. */
  replaceCa(caPem: string): void {
    this.trusted = parseCertificates(caPem);
    this.verified = new WeakMap();
    this.accepted = new Map();
  }

  find(certificate: X509Certificate): ChainFinding<Value> {
    const { verdict, isRemembered } = this.verdictOn(certificate);
    const found = this.findingOf(verdict);
    if (found.kind === "trusted" || !isRemembered) return found;
    // The intermediates sent on this connection may lead to an authority where the remembered chains no longer do.
    const anew = this.findingOf(this.keep(certificate, this.judge(certificate)).verdict);
    return anew.kind === "trusted" ? anew : found;
  }

  private findingOf(verdict: Verdict<Value>): ChainFinding<Value> {
    if (verdict.kind === "refused") return verdict;
    const now = this.parts.nowMs();
    const { isRevoked } = this.parts;
    let refusal: typeof NOT_YET_VALID | undefined;
    for (const { identities, notBeforeMs, notAfterMs } of verdict.chains) {
      if (now > notAfterMs) refusal ??= NO_LONGER_VALID;
      else if (now < notBeforeMs) refusal ??= NOT_YET_VALID;
      else if (isRevoked !== undefined && identities.some(isRevoked)) refusal = REVOKED;
      else return { kind: "trusted", value: verdict.value, validForMs: notAfterMs - now };
    }
    return refusal ?? NO_LONGER_VALID;
  }

  private verdictOn(certificate: X509Certificate): Known<Value> {
    const known = this.verified.get(certificate);
    if (known !== undefined) return known;
    const before = this.accepted.get(certificate.fingerprint256);
    if (before === undefined || this.findingOf(before).kind === "refused")
      return this.keep(certificate, this.judge(certificate));
    const remembered = { verdict: before, isRemembered: true };
    this.verified.set(certificate, remembered);
    return remembered;
  }

  private keep(certificate: X509Certificate, verdict: Verdict<Value>): Known<Value> {
    const known = { verdict, isRemembered: false };
    this.verified.set(certificate, known);
    if (verdict.kind === "trusted") this.remember(certificate.fingerprint256, verdict);
    return known;
  }

  private remember(fingerprint: string, verdict: Verdict<Value>): void {
    this.accepted.set(fingerprint, verdict);
    if (this.accepted.size <= ACCEPTED_MAX) return;
    for (const oldest of this.accepted.keys()) {
      this.accepted.delete(oldest);
      return;
    }
  }

  private judge(leaf: X509Certificate): Verdict<Value> {
    try {
      const found = chainsTo(this.trusted, leaf);
      if (typeof found === "string") return refused(`client certificate: ${found}`);
      const problems = found.map(problemOf);
      const usable = found.filter((_chain, at) => problems[at] === undefined);
      if (usable.length === 0) return refused(`client certificate: ${problems[0]}`);
      const chains = usable.map((chain) => this.judged(chain)).sort((one, other) => other.notAfterMs - one.notAfterMs);
      return { kind: "trusted", value: this.parts.valueOf(leaf), chains };
    } catch (error) {
      return refused(`client certificate cannot be read: ${messageOf(error)}`);
    }
  }

  private judged(chain: CertificateChain): JudgedChain {
    return {
      identities: this.parts.isRevoked === undefined ? [] : chain.map(identityOf),
      notBeforeMs: Math.max(...chain.map((certificate) => Date.parse(certificate.validFrom))),
      notAfterMs: Math.min(...chain.map((certificate) => Date.parse(certificate.validTo))),
    };
  }
}

type Verdict<Value> =
  | { readonly kind: "refused"; readonly reason: string }
  /** Chains, the one with the longest validity first. */
  | { readonly kind: "trusted"; readonly value: Value; readonly chains: readonly JudgedChain[] };

interface Known<Value> {
  readonly verdict: Verdict<Value>;
  /** Whether the verdict was reached on another connection that presented the same certificate. */
  readonly isRemembered: boolean;
}

interface JudgedChain {
  /** Identities of the chain's certificates; empty when revocation is not checked. */
  readonly identities: readonly CertificateIdentity[];
  /** Interval in which the whole chain is valid. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const refused = (reason: string) => ({ kind: "refused", reason }) as const;

const NOT_YET_VALID = refused("client certificate, or one above it, is not valid yet");
const NO_LONGER_VALID = refused("client certificate, or one above it, has expired");
const REVOKED = refused("client certificate, or one above it, has been revoked");

/**
 * Reads every certificate of a PEM bundle.
 * @throws Error when there is none, or one is malformed
 */
function parseCertificates(pem: string): X509Certificate[] {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) throw new Error("no certificate found in the PEM text");
  return blocks.map((block) => new X509Certificate(block));
}

/** Returns why the chain cannot identify a client, if there is a reason. The leaf comes first. */
function problemOf(chain: CertificateChain): string | undefined {
  const constraints = chain.map(constraintsOf);
  for (const [index, certificate] of constraints.entries()) {
    if (certificate.unknownCritical !== undefined)
      return `critical extension ${certificate.unknownCritical} is not supported`;
    if (!allowsClients(certificate)) return "not valid for client authentication";
    if (index === 0 && certificate.isForAgents) return "valid for calls of node agents only";
    if (index === 0) continue;
    const isAnchor = index === constraints.length - 1;
    if (!(isAnchor ? certificate.mayAnchor : certificate.mayIssue)) return "signed by a certificate that is not a CA";
    if (index - 1 > certificate.pathLength) return "more intermediates than a CA of the chain allows";
  }
  return undefined;
}

function allowsClients({ extendedKeyUsages }: CertificateConstraints): boolean {
  return extendedKeyUsages === undefined || extendedKeyUsages.includes(CLIENT_AUTH);
}
