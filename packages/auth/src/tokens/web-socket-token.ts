// The token of a WebSocket that a page in a browser opens: such a page cannot send an Authorization header, and offers the token as if
// it were a protocol. Source: facts, vocabulary.json, among the subprotocols.
import { type AuthenticationOutcome, type Authenticator, failed, NOT_APPLICABLE } from "../authenticator";
import { bearerTokenAuthenticator } from "../bearer-token";
import type { TokenAuthenticator } from "./token-method";

/** What such a protocol begins with, whatever the product is called. */
const ANY_PREFIX = "base64url.bearer.authorization.";

const MALFORMED = failed("the WebSocket's protocols hold no single bearer token in base64url");
const ALONE = failed("the WebSocket's protocols are a bearer token alone: there is none to speak");

/** @param prefix of the protocol, before the token in base64url */
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

/** For others than this server, which the token is not meant for. @returns "" where nothing else is offered */
export const withoutTokens = (offered: string): string =>
  offered.includes(ANY_PREFIX)
    ? protocolsIn(offered)
        .filter((each) => !each.startsWith(ANY_PREFIX))
        .join(", ")
    : offered;

const protocolsIn = (offered: string): string[] => offered.split(",").map((each) => each.trim());
