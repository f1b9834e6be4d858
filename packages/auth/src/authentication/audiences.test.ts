import { describe, expect, test } from "@jest/globals";
import { credentials } from "../testing/credentials";
import { forThisServer } from "./audiences";
import { type AuthenticationOutcome, NOT_APPLICABLE, type TokenAuthenticator, unionOf } from "./authenticator";
import { bearerTokenAuthenticator } from "./bearer-token";

const user = { name: "ann", groups: ["system:authenticated"] };
const known: AuthenticationOutcome = { kind: "authenticated", user };
const method: TokenAuthenticator = { authenticateToken: (token) => (token === "s3cret" ? known : NOT_APPLICABLE) };
const late: TokenAuthenticator = { authenticateToken: async (...of) => method.authenticateToken(...of) };

describe.each([
  ["at once", method],
  ["late", late],
])("a token without audiences of its own, known %s", (_when, tokens) => {
  const authenticator = unionOf([bearerTokenAuthenticator(forThisServer(["here", "also-here"], tokens))]);
  const asked = async (audiences: readonly string[], token = "s3cret") =>
    authenticator.authenticate(credentials({ authorization: `Bearer ${token}`, audiences }));

  test("is good for the server, whoever asks for none", async () => expect(await asked([])).toEqual(known));

  test("is good for those of the server's names that are asked for", async () => {
    expect(await asked(["elsewhere", "here"])).toEqual({ ...known, audiences: ["here"] });
  });

  test("the token is rejected for other audiences", async () => {
    expect(await asked(["elsewhere"])).toEqual({
      kind: "failed",
      reason: expect.stringContaining("not issued for any of the audiences"),
    });
  });

  test("an unknown token is rejected for all audiences", async () => {
    expect(await asked(["here"], "other")).toMatchObject({ kind: "failed" });
  });
});
