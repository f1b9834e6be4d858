import { describe, expect, test } from "@jest/globals";
import { credentials } from "../testing/credentials";
import { parseTokenFile, TokenFileAuthenticator } from "../tokens/token-file";
import { tokenUnion } from "../tokens/token-union";
import { anonymous, anonymousAllowed } from "./anonymous";
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  failed,
  NOT_APPLICABLE,
  unionOf,
} from "./authenticator";
import { bearerTokenAuthenticator } from "./bearer-token";

const bearer = bearerTokenAuthenticator(new TokenFileAuthenticator(parseTokenFile('s3cret,ann,7,"devs,ops"\n')));
const ANN = { name: "ann", uid: "7", groups: ["devs", "ops", "system:authenticated"] };

describe("the union of methods", () => {
  test.each<[string, string | undefined, AuthenticationOutcome]>([
    [
      "a known token is its user, counted among the authenticated",
      "Bearer s3cret",
      { kind: "authenticated", user: ANN },
    ],
    ["the scheme's case and blanks around do not matter", "  bearer   s3cret ", { kind: "authenticated", user: ANN }],
    ["no header is nobody in particular", undefined, anonymousOutcome()],
    ["another scheme carries no token", "Basic czNjcmV0", anonymousOutcome()],
    ["an unknown token fails though anonymous requests are welcome", "Bearer s3cre", failed("invalid bearer token")],
    ["an empty token fails", "Bearer ", failed("Authorization header must contain a single bearer token")],
    ["the bare scheme fails", "Bearer", failed("Authorization header must contain a single bearer token")],
    ["two tokens fail", "Bearer s3cret s3cret", failed("Authorization header must contain a single bearer token")],
    ["an endless token fails", `Bearer ${"x".repeat(16_385)}`, failed("bearer token is longer than 16384 characters")],
  ])("%s", (_behaviour, authorization, outcome) => {
    expect(unionOf([bearer], anonymous).authenticate(request(authorization))).toMatchObject(outcome);
  });

  test("knows nothing of a request without credentials when anonymous ones are not welcome", () => {
    expect(unionOf([bearer]).authenticate(request())).toBe(NOT_APPLICABLE);
  });

  test("lets a later method succeed after an earlier one has failed", () => {
    const union = unionOf([answering(failed("bad certificate")), bearer], anonymous);
    expect(union.authenticate(request("Bearer s3cret"))).toMatchObject({ user: ANN });
  });

  test("joins the reasons when all fail", () => {
    const union = unionOf([answering(failed("bad certificate")), bearer], anonymous);
    expect(union.authenticate(request("Bearer nope"))).toEqual(failed("bad certificate; invalid bearer token"));
  });

  test("waits for methods that answer late, in order", async () => {
    const late = { authenticate: async () => NOT_APPLICABLE };
    const lateFailure = { authenticate: async () => failed("remote says no") };
    expect(await unionOf([late, bearer], anonymous).authenticate(request("Bearer s3cret"))).toMatchObject({
      user: ANN,
    });
    expect(await unionOf([lateFailure], anonymous).authenticate(request())).toEqual(failed("remote says no"));
    expect(await unionOf([late], anonymous).authenticate(request())).toEqual(anonymousOutcome());
  });

  test("asks the methods that know tokens one after another, late ones too", async () => {
    const remote = { authenticateToken: async (token: string) => (token === "far" ? known("zoe") : NOT_APPLICABLE) };
    const both = bearerTokenAuthenticator(
      tokenUnion([remote, new TokenFileAuthenticator(parseTokenFile("near,ann,7"))]),
    );
    expect(await both.authenticate(request("Bearer far"))).toEqual(known("zoe"));
    expect(await both.authenticate(request("Bearer near"))).toMatchObject({ user: { name: "ann" } });
    expect(await both.authenticate(request("Bearer other"))).toEqual(failed("invalid bearer token"));
  });

  test("hands out the same user object for every request with a token", () => {
    const union = unionOf([bearer]);
    expect(union.authenticate(request("Bearer s3cret"))).toBe(union.authenticate(request("Bearer s3cret")));
  });
});

test.each([
  [true, ["RBAC"], true, false],
  [false, ["RBAC"], false, false],
  [true, ["RBAC", "AlwaysAllow"], false, true],
  [false, ["AlwaysAllow"], false, false],
])("anonymous-auth=%s with modes %s lets anonymous requests in: %s, warns: %s", (flag, modes, allowed, warns) => {
  const decided = anonymousAllowed(flag, modes);
  expect([decided.allowed, decided.warning !== undefined]).toEqual([allowed, warns]);
});

function anonymousOutcome(): AuthenticationOutcome {
  return { kind: "authenticated", user: { name: "system:anonymous", groups: ["system:unauthenticated"] } };
}

function known(name: string): AuthenticationOutcome {
  return { kind: "authenticated", user: { name, groups: [] } };
}

function answering(outcome: AuthenticationOutcome) {
  return { authenticate: () => outcome };
}

function request(authorization?: string): AuthenticationRequest {
  return credentials({ authorization });
}
