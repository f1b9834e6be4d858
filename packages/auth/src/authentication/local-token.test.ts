import { expect, test } from "@jest/globals";
import { credentials } from "../testing/credentials";
import { type AuthenticationOutcome, unionOf } from "./authenticator";
import { localTokenAuthenticator } from "./local-token";

const user = { name: "admin", groups: ["system:masters"] };
const authenticator = unionOf([localTokenAuthenticator({ token: "s3cret", user })]);

const outcomeOf = (authorization: string | undefined, isLocal: boolean) =>
  authenticator.authenticate(credentials({ authorization, isLocal })) as AuthenticationOutcome;

test("is its user's, among the authenticated, on this machine", () => {
  const groups = [...user.groups, "system:authenticated"];
  expect(outcomeOf("Bearer s3cret", true)).toEqual({ kind: "authenticated", user: { ...user, groups } });
});

test("is refused from elsewhere", () => {
  const refused = { kind: "failed", reason: expect.stringContaining("valid from this machine only") };
  expect(outcomeOf("Bearer s3cret", false)).toEqual(refused);
});

test.each([
  ["another token", "Bearer s3cre"],
  ["a longer one", "Bearer s3cret2"],
  ["an empty one", "Bearer "],
  ["another method", "Basic s3cret"],
  ["none", undefined],
])("has nothing to say of %s", (_what, authorization) => {
  expect(outcomeOf(authorization, true)).toEqual({ kind: "notApplicable" });
});
