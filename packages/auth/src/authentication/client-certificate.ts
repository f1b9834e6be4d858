// Client certificates: the common name is the user, the organizations are the groups, once the chain to a trusted
// authority is verified.
// Source: Kubernetes documentation, "Authenticating", "X.509 client certificates".
import type { X509Certificate } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import { commonNameOf, organizationsOf, userUidsOf } from "../certificates/certificate-subject";
import { ChainVerifier, type ChainVerifierParts } from "../certificates/chain-verifier";
import { certificateId } from "../identity/credential-ids";
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  type Authenticator,
  asAuthenticated,
  failed,
  NOT_APPLICABLE,
} from "./authenticator";

/**
 * Authenticates by client certificate. The TLS layer requests a certificate but does not verify it (`requestCert`,
 * `rejectUnauthorized: false`).
 */
export class ClientCertificateAuthenticator implements Authenticator {
  private readonly verifier: ChainVerifier<AuthenticationOutcome>;
  private readonly used: (validForMs: number) => void;

  /**
   * @param options.caPem one or more CA certificates
   * @param options.isRevoked called at every request for the certificate and its issuers
   * @param options.readsUid whether the subject may contain the UID of the user
   * @param options.credentialKey attribute of users that holds the id of the certificate; absent: users have none
   * @param options.used called at every request with the remaining validity of the chain
   * @throws Error when `caPem` contains no readable certificate
   */
  constructor(options: {
    readonly caPem: string;
    readonly nowMs?: () => number;
    readonly isRevoked?: ChainVerifierParts<unknown>["isRevoked"];
    readonly readsUid?: boolean;
    readonly credentialKey?: string | undefined;
    readonly used?: (validForMs: number) => void;
  }) {
    const { caPem, nowMs = Date.now, isRevoked } = options;
    this.verifier = new ChainVerifier(caPem, { nowMs, valueOf: (leaf) => outcomeOf(leaf, options), isRevoked });
    this.used = options.used ?? (() => {});
  }

  /** Replaces the trusted authorities, for open connections too. Throws without a change when they cannot be read. */
  replaceCa(caPem: string): void {
    this.verifier.replaceCa(caPem);
  }

  /**
   * Returns whether the certificate chains to one of the authorities now, through a chain without revoked certificates.
   */
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

/** Returns the user of a certificate. A certificate without a common name is valid but identifies no user. */
function outcomeOf(
  leaf: X509Certificate,
  { readsUid = false, credentialKey }: { readonly readsUid?: boolean; readonly credentialKey?: string | undefined },
): AuthenticationOutcome {
  const name = commonNameOf(leaf);
  if (name === "") return NOT_APPLICABLE;
  const uids = readsUid ? userUidsOf(leaf) : [];
  const [uid] = uids;
  if (uids.length > 1) return failed(`expected 1 UID, but found multiple: ${JSON.stringify(uids)}`);
  if (uid === "") return failed("UID cannot be an empty string");
  const user: UserInfo = {
    name,
    groups: organizationsOf(leaf),
    ...(uid !== undefined && { uid }),
    ...(credentialKey !== undefined && { extra: { [credentialKey]: [certificateId(leaf)] } }),
  };
  return { kind: "authenticated", user: asAuthenticated(user) };
}
