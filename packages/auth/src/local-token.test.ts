import { expect, test } from "@jest/globals";
import { type AuthenticationOutcome, unionOf } from "./authenticator";
import { localTokenAuthenticator } from "./local-token";
import { credentials } from "./testing/credentials";

const user = { name: "admin", groups: ["system:masters"] };
const authenticator = unionOf([localTokenAuthenticator({ token: "s3cret", user })]);

const outcomeOf = (authorization: string | undefined, isLocal: boolean) =>
  authenticator.authenticate(credentials({ authorization, isLocal })) as AuthenticationOutcome;

test("is its user's, among the authenticated, on this machine", () => {
  const groups = [...user.groups, "system:authenticated"];
  expect(outcomeOf("Bearer s3cret", true)).toEqual({ kind: "authenticated", user: { ...user, groups } });
});

test.each([
  ["the token from elsewhere", "Bearer s3cret", false, "came from another machine"],
  ["another token", "Bearer s3cre", true, "no credentials"],
  ["a longer one", "Bearer s3cret2", true, "no credentials"],
  ["an empty one", "Bearer ", true, "no credentials"],
  ["another method", "Basic s3cret", true, "no credentials"],
  ["none", undefined, true, "no credentials"],
])("refuses %s", (_what, authorization, isLocal, reason) => {
  const refused = { kind: "failed", reason: expect.stringContaining(reason) };
  expect(outcomeOf(authorization, isLocal)).toEqual(refused);
});
