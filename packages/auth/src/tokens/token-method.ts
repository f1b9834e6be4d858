// A method that recognises tokens: a file of them, signed ones, a remote service. Source: access-control, "Methods".
import type { AuthenticationOutcome, AuthenticationRequest, PeerConnection } from "../authenticator";

/** All that is said beside a token. What is found of it is remembered for others who bring it, and may rest on nothing else. */
export interface TokenQuestion extends Pick<AuthenticationRequest, "audiences" | "signal"> {
  /** Over which it came, for bounds of what one sender may ask: nothing that is found rests on it. */
  readonly connection?: PeerConnection;
}

export interface TokenAuthenticator {
  /**
   * @param question with the audiences for one of which the token has to be good; none: for this server
   * @returns notApplicable for a token that is none of this method's
   */
  authenticateToken(token: string, question: TokenQuestion): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}
