// Client certificates: common name to user, organizations to groups, once the chain to a trusted authority is shown.
// Source: access-control, "Methods"; facts, flags.json `client-ca-file`.
import type { X509Certificate } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  type Authenticator,
  asAuthenticated,
  failed,
  NOT_APPLICABLE,
} from "./authenticator";
import { commonNameOf, organizationsOf } from "./certificate-subject";
import { ChainVerifier, type ChainVerifierParts } from "./chain-verifier";

/** The TLS layer asks for a certificate but does not judge it (`requestCert`, `rejectUnauthorized: false`). */
export class ClientCertificateAuthenticator implements Authenticator {
  private readonly verifier: ChainVerifier<AuthenticationOutcome>;
  private readonly used: (validForMs: number) => void;

  /**
   * @param options.caPem one or more CA certificates
   * @param options.isRevoked asked at every request, of the certificate and of those above it
   * @param options.used told at every request how long the certificate, and those above it, are still valid
   * @throws Error when no certificate can be read from it
   */
  constructor(options: {
    readonly caPem: string;
    readonly nowMs?: () => number;
    readonly isRevoked?: ChainVerifierParts<unknown>["isRevoked"];
    readonly used?: (validForMs: number) => void;
  }) {
    const { caPem, nowMs = Date.now, isRevoked } = options;
    this.verifier = new ChainVerifier(caPem, { nowMs, valueOf: outcomeOf, isRevoked });
    this.used = options.used ?? (() => {});
  }

  /** From now on only these authorities count, for open connections too. Throws, and changes nothing, if they cannot be read. */
  replaceCa(caPem: string): void {
    this.verifier.replaceCa(caPem);
  }

  /** Whether the certificate leads to one of the authorities now, by a chain of which nothing is revoked. */
  trusts(certificate: X509Certificate): boolean {
    return this.verifier.find(certificate).kind === "trusted";
  }

  authenticate(request: AuthenticationRequest): AuthenticationOutcome {
    const certificate = request.connection.peerCertificate();
    if (certificate === undefined) return NOT_APPLICABLE;
    const finding = this.verifier.find(certificate);
    if (finding.kind === "refused") return failed(finding.reason);
    if (finding.value.kind === "authenticated") this.used(finding.validForMs);
    return finding.value;
  }
}

/** A certificate without a common name is fine, but names nobody. */
function outcomeOf(leaf: X509Certificate): AuthenticationOutcome {
  const name = commonNameOf(leaf);
  if (name === "") return NOT_APPLICABLE;
  const user: UserInfo = { name, groups: organizationsOf(leaf) };
  return { kind: "authenticated", user: asAuthenticated(user) };
}
