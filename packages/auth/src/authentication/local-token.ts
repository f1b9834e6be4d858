// A token of one user that is valid only on the server's own machine, for a link that opens in a local browser.
import { hash, timingSafeEqual } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import {
  type AuthenticationOutcome,
  type Authenticator,
  asAuthenticated,
  failed,
  NOT_APPLICABLE,
} from "./authenticator";
import { bearerTokenAuthenticator } from "./bearer-token";

export interface LocalToken {
  readonly token: string;
  readonly user: UserInfo;
}

const FROM_ELSEWHERE = failed("the explorer token is valid from this machine only, without a proxy");

/** Creates the authenticator. Token reviews do not know this token: it is not a token method of `TokenReview`. */
export function localTokenAuthenticator({ token, user }: LocalToken): Authenticator {
  const expected = digest(token);
  const success: AuthenticationOutcome = { kind: "authenticated", user: asAuthenticated(user) };
  const known = bearerTokenAuthenticator({
    authenticateToken: (given) => (timingSafeEqual(digest(given), expected) ? success : NOT_APPLICABLE),
  });
  return {
    authenticate(request) {
      if (known.authenticate(request) !== success) return NOT_APPLICABLE;
      return request.isFromThisMachine() ? success : FROM_ELSEWHERE;
    },
  };
}

function digest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
