// Ids of credentials: they tell in audit logs and signing requests which certificate or token a user presented, without
// revealing it. Source: staging/src/k8s.io/apiserver/pkg/authentication/user/user.go; Kubernetes documentation,
// "Authenticating".
import type { X509Certificate } from "node:crypto";
import { compareReleases } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";

/** First release in which the users of client certificates and of OpenID Connect tokens carry the id of the credential. */
const SINCE = "1.32";

/**
 * Returns the attribute of users that holds the id of a client certificate or of an OpenID Connect token.
 * @returns undefined in a release whose users have no such attribute
 */
export function credentialKey(vocabulary: Vocabulary, release: string): string | undefined {
  if (compareReleases(release, SINCE) < 0) return undefined;
  return vocabulary.userExtraKeys.authenticationCredentialId;
}

/** Returns the id of a token by its claim `jti`. */
export const credentialId = (tokenId: string): string => `JTI=${tokenId}`;

/** Returns the id of a certificate: the hash of its DER bytes. */
export const certificateId = (certificate: X509Certificate): string =>
  `X509SHA256=${certificate.fingerprint256.replaceAll(":", "").toLowerCase()}`;
