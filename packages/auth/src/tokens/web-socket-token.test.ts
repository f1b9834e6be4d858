import { expect, test } from "@jest/globals";
import { NOT_APPLICABLE, type TokenAuthenticator } from "../authentication/authenticator";
import { credentials } from "../testing/credentials";
import { webSocketTokenAuthenticator, withoutTokens } from "./web-socket-token";

const PREFIX = "base64url.bearer.authorization.orch.io.";
const method: TokenAuthenticator = {
  authenticateToken: (token) =>
    token === "s3cret" ? { kind: "authenticated", user: { name: "ann", groups: [] } } : NOT_APPLICABLE,
};
const offer = (text: string) => `${PREFIX}${Buffer.from(text).toString("base64url")}`;
const find = (protocols: string | undefined, upgrade = "WebSocket") =>
  webSocketTokenAuthenticator(method, PREFIX).authenticate({
    ...credentials({}),
    headers: { upgrade, ...(protocols !== undefined && { "sec-websocket-protocol": protocols }) },
  });

test("a token among the protocols is its user's", () => {
  expect(find(`${offer("s3cret")}, binary.orch.io`)).toMatchObject({ user: { name: "ann" } });
  expect(find(`v4.channel.orch.io,${offer("s3cret")}`)).toMatchObject({ user: { name: "ann" } });
});

test.each([
  ["another token", `${offer("other")}, binary.orch.io`],
  ["two tokens", `${offer("s3cret")}, ${offer("s3cret")}, binary.orch.io`],
  ["no other protocol", offer("s3cret")],
  ["no base64url", `${PREFIX}?, binary.orch.io`],
  ["nothing after the prefix", `${PREFIX}, binary.orch.io`],
])("is refused: %s", (_what, protocols) => {
  const outcome = find(protocols);
  expect(outcome).toMatchObject({ kind: "failed" });
  expect(JSON.stringify(outcome)).not.toContain("s3cret");
});

test.each([
  ["no protocols", undefined, "websocket"],
  ["protocols without a token", "binary.orch.io", "websocket"],
  ["another upgrade", `${offer("s3cret")}, binary.orch.io`, "SPDY/3.1"],
])("knows nothing of a request with %s", (_what, protocols, upgrade) => {
  expect(find(protocols, upgrade)).toBe(NOT_APPLICABLE);
});

test("no other server is told of it", () => {
  expect(withoutTokens(`a, ${offer("s3cret")},b`)).toBe("a, b");
  expect(withoutTokens(offer("s3cret"))).toBe("");
  expect(withoutTokens("a,b")).toBe("a,b");
});
