// Interface of a token method, such as a token file, signed tokens, or a remote service. Source: Kubernetes
// documentation, "Authenticating".
import type { AuthenticationOutcome, AuthenticationRequest, PeerConnection } from "../authenticator";

/**
 * Input of a token method besides the token. The finding is cached for other requests with the token, so it may depend
 * on nothing else.
 */
export interface TokenQuestion extends Pick<AuthenticationRequest, "audiences" | "signal"> {
  /** Connection of the request, for limits per client. The finding does not depend on it. */
  readonly connection?: PeerConnection;
}

export interface TokenAuthenticator {
  /**
   * Authenticates a token.
   * @param question with the audiences of which one must be valid for the token; empty: this server
   * @returns notApplicable for a token that does not belong to this method
   */
  authenticateToken(token: string, question: TokenQuestion): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}
