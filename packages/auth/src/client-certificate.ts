// Client certificates: common name to user, organizations to groups, once the chain to a trusted authority is shown.
// Source: access-control, "Methods"; facts, flags.json `client-ca-file`.
import { X509Certificate } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  type Authenticator,
  asAuthenticated,
  failed,
  NOT_APPLICABLE,
} from "./authenticator";
import { type CertificateConstraints, CLIENT_AUTH, constraintsOf } from "./certificate-constraints";

/** How many accepted certificates are remembered; the oldest is forgotten first. */
const ACCEPTED_MAX = 4096;

/** Longer chains are refused unread. */
const CHAIN_MAX_LENGTH = 8;

/**
 * The TLS layer asks for a certificate but does not judge it (`requestCert`, `rejectUnauthorized: false`). What is found is kept
 * by certificate object, so that only the first request of a connection pays for the signatures; times are looked at every time.
 */
export class ClientCertificateAuthenticator implements Authenticator {
  private trusted: readonly X509Certificate[];
  private verified = new WeakMap<X509Certificate, Verdict>();
  // By fingerprint: a resumed TLS session shows the certificate again, but not the intermediates that came with it at first.
  private accepted = new Map<string, Verdict>();
  private readonly nowMs: () => number;
  private readonly used: (validForMs: number) => void;

  /**
   * @param options.caPem one or more CA certificates
   * @param options.used told at every request how long the certificate, and those above it, are still valid
   * @throws Error when no certificate can be read from it
   */
  constructor(options: {
    readonly caPem: string;
    readonly nowMs?: () => number;
    readonly used?: (validForMs: number) => void;
  }) {
    this.trusted = parseCertificates(options.caPem);
    this.nowMs = options.nowMs ?? Date.now;
    this.used = options.used ?? (() => {});
  }

  /** From now on only these authorities count, for open connections too. Throws, and changes nothing, if they cannot be read. */
  replaceCa(caPem: string): void {
    this.trusted = parseCertificates(caPem);
    this.verified = new WeakMap();
    this.accepted = new Map();
  }

  authenticate(request: AuthenticationRequest): AuthenticationOutcome {
    const certificate = request.connection.peerCertificate();
    if (certificate === undefined) return NOT_APPLICABLE;
    const verdict = this.verdictOn(certificate);
    if (verdict.outcome.kind !== "authenticated") return verdict.outcome;
    const now = this.nowMs();
    if (now < verdict.notBeforeMs) return NOT_YET_VALID;
    if (now > verdict.notAfterMs) return NO_LONGER_VALID;
    this.used(verdict.notAfterMs - now);
    return verdict.outcome;
  }

  private verdictOn(certificate: X509Certificate): Verdict {
    const known = this.verified.get(certificate);
    if (known !== undefined) return known;
    const fingerprint = certificate.fingerprint256;
    const before = this.accepted.get(fingerprint);
    const verdict = before && this.nowMs() <= before.notAfterMs ? before : judge(certificate, this.trusted);
    this.verified.set(certificate, verdict);
    if (verdict.outcome.kind === "authenticated") this.remember(fingerprint, verdict);
    return verdict;
  }

  private remember(fingerprint: string, verdict: Verdict): void {
    this.accepted.set(fingerprint, verdict);
    if (this.accepted.size <= ACCEPTED_MAX) return;
    for (const oldest of this.accepted.keys()) {
      this.accepted.delete(oldest);
      return;
    }
  }
}

const NOT_YET_VALID = failed("client certificate, or one above it, is not valid yet");
const NO_LONGER_VALID = failed("client certificate, or one above it, has expired");

/** Every certificate of a PEM bundle. @throws Error when there is none, or one is broken */
function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("no certificate found in the PEM text");
  return blocks.map((block) => new X509Certificate(block));
}

interface Verdict {
  readonly outcome: AuthenticationOutcome;
  /** The time in which the whole chain is valid. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

function judge(leaf: X509Certificate, trusted: readonly X509Certificate[]): Verdict {
  try {
    const chain = chainTo(trusted, leaf);
    const problem = typeof chain === "string" ? chain : problemOf(chain);
    if (typeof chain === "string" || problem !== undefined) return refused(failed(`client certificate: ${problem}`));
    const user = userOf(leaf);
    return {
      // A certificate without a common name is fine, but names nobody.
      outcome: user === undefined ? NOT_APPLICABLE : { kind: "authenticated", user: asAuthenticated(user) },
      notBeforeMs: Math.max(...chain.map((certificate) => Date.parse(certificate.validFrom))),
      notAfterMs: Math.min(...chain.map((certificate) => Date.parse(certificate.validTo))),
    };
  } catch (error) {
    return refused(
      failed(`client certificate cannot be read: ${error instanceof Error ? error.message : String(error)}`),
    );
  }
}

function refused(outcome: AuthenticationOutcome): Verdict {
  return { outcome, notBeforeMs: 0, notAfterMs: 0 };
}

/**
 * From the leaf upwards, by way of the intermediates that the client sent, to the first certificate that is trusted.
 * Every signature on the way has been checked. A trusted certificate need not be self-signed.
 * @returns the chain, or why there is none
 */
function chainTo(trusted: readonly X509Certificate[], leaf: X509Certificate): X509Certificate[] | string {
  const chain = [leaf];
  if (trusted.some((authority) => authority.fingerprint256 === leaf.fingerprint256)) return chain;
  for (let current = leaf; chain.length < CHAIN_MAX_LENGTH; ) {
    const anchor = trusted.find((authority) => issued(current, authority));
    if (anchor !== undefined) return [...chain, anchor];
    const next = current.issuerCertificate;
    if (next === undefined || next.fingerprint256 === current.fingerprint256) return "signed by an unknown authority";
    if (!issued(current, next)) return "chain is broken";
    chain.push(next);
    current = next;
  }
  return "chain is too long";
}

/** Names fit, the key usage allows it, and the signature is right. */
function issued(certificate: X509Certificate, by: X509Certificate): boolean {
  return certificate.checkIssued(by) && certificate.verify(by.publicKey);
}

/** What forbids this chain to identify a client, if anything. The leaf comes first. */
function problemOf(chain: readonly X509Certificate[]): string | undefined {
  const constraints = chain.map(constraintsOf);
  for (const [index, certificate] of constraints.entries()) {
    if (certificate.unknownCritical !== undefined)
      return `critical extension ${certificate.unknownCritical} is not understood`;
    if (!allowsClients(certificate)) return "not meant for client authentication";
    if (index === 0) continue;
    if (!certificate.mayIssue) return "signed by a certificate that is no authority";
    if (index - 1 > certificate.pathLength) return "more intermediates than an authority allows";
  }
  return undefined;
}

function allowsClients({ extendedKeyUsages }: CertificateConstraints): boolean {
  return extendedKeyUsages === undefined || extendedKeyUsages.includes(CLIENT_AUTH);
}

function userOf(certificate: X509Certificate): UserInfo | undefined {
  const subject = certificate.toLegacyObject().subject as unknown as Readonly<
    Record<string, string | string[] | undefined>
  >;
  const name = valuesOf(subject["CN"]).at(-1);
  return name === undefined || name === "" ? undefined : { name, groups: valuesOf(subject["O"]) };
}

/** One value comes bare, several as an array. */
function valuesOf(attribute: string | string[] | undefined): string[] {
  return attribute === undefined ? [] : Array.isArray(attribute) ? attribute : [attribute];
}
