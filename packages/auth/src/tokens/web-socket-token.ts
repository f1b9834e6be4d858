// Bearer token of a WebSocket opened by a browser page. Such a page cannot send an Authorization header, and offers the
// token as a subprotocol instead. Source:
// staging/src/k8s.io/apiserver/pkg/authentication/request/websocket/protocol.go.
import {
  type AuthenticationOutcome,
  type Authenticator,
  failed,
  NOT_APPLICABLE,
  type TokenAuthenticator,
} from "../authentication/authenticator";
import { bearerTokenAuthenticator } from "../authentication/bearer-token";

/** Part of the subprotocol's name that is the same for every product. */
const ANY_PREFIX = "base64url.bearer.authorization.";

const MALFORMED = failed("Sec-WebSocket-Protocol must contain a single bearer token in base64url");
const ALONE = failed("Sec-WebSocket-Protocol must name a protocol in addition to the bearer token");

/** @param prefix the part of the subprotocol before the token in base64url */
export function webSocketTokenAuthenticator(method: TokenAuthenticator, prefix: string): Authenticator {
  const bearer = bearerTokenAuthenticator(method);
  return {
    authenticate(request): AuthenticationOutcome | Promise<AuthenticationOutcome> {
      const { headers } = request;
      const offered = headers["sec-websocket-protocol"];
      if (typeof offered !== "string" || !offered.includes(prefix)) return NOT_APPLICABLE;
      if (String(headers["upgrade"]).toLowerCase() !== "websocket") return NOT_APPLICABLE;
      const protocols = protocolsIn(offered);
      const tokens = protocols.filter((each) => each.startsWith(prefix));
      const [text = ""] = tokens.map((each) => each.slice(prefix.length));
      if (tokens.length !== 1 || !/^[\w-]+$/.test(text)) return tokens.length === 0 ? NOT_APPLICABLE : MALFORMED;
      if (protocols.length === 1) return ALONE;
      const authorization = `Bearer ${Buffer.from(text, "base64url").toString("utf8")}`;
      const { path, rawHeaders, audiences, connection, signal } = request;
      return bearer.authenticate({
        ...{ path, headers: { authorization }, rawHeaders, audiences, connection, signal },
        isFromThisMachine: () => request.isFromThisMachine(),
      });
    },
  };
}

/**
 * Removes tokens from subprotocols that are forwarded to another server.
 * @returns "" when nothing else is offered
 */
export const withoutTokens = (offered: string): string =>
  offered.includes(ANY_PREFIX)
    ? protocolsIn(offered)
        .filter((each) => !each.startsWith(ANY_PREFIX))
        .join(", ")
    : offered;

const protocolsIn = (offered: string): string[] => offered.split(",").map((each) => each.trim());
