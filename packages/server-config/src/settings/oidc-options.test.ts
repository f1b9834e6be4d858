import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { parseFlags } from "@orch/machinery";
import { SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { oidcIssuer, oidcOptionErrors } from "./oidc-options";

const folder = mkdtempSync(join(tmpdir(), "oidc-options-"));
afterAll(() => rmSync(folder, { recursive: true }));

const configOf = (...args: readonly string[]): ServerConfig => parseFlags(SERVER_FLAGS, args).config as ServerConfig;
const ISSUER = "https://login.test/realm";
const needed = [`--oidc-issuer-url=${ISSUER}`, "--oidc-client-id=orch"];

describe("the username prefix of a token", () => {
  test.each<[string[], object]>([
    [[], { claim: "sub", prefix: `${ISSUER}#` }],
    [["--oidc-username-claim=email"], { claim: "email", prefix: "" }],
    [["--oidc-username-claim=email", "--oidc-username-prefix=x:"], { claim: "email", prefix: "x:" }],
    [["--oidc-username-prefix=-"], { claim: "sub", prefix: "" }],
    [["--oidc-username-claim=name", "--oidc-username-prefix=x:"], { claim: "name", prefix: "x:" }],
  ])("with %j", (args, expected) => {
    expect(oidcIssuer(configOf(...needed, ...args))?.username).toMatchObject(expected);
  });
});

test("all options come to one issuer", () => {
  const issuer = oidcIssuer(
    configOf(
      ...needed,
      "--oidc-groups-claim=roles",
      "--oidc-groups-prefix=g:",
      "--oidc-required-claim=a=b,c=d",
      "--oidc-required-claim=e=",
      "--oidc-signing-algs=ES256,RS512",
    ),
  );
  expect(issuer).toMatchObject({
    issuer: { url: ISSUER, audiences: ["orch"] },
    algorithms: ["RS512", "ES256"],
    groups: { kind: "claim", claim: "roles", prefix: "g:" },
    claimRules: [
      { kind: "claim", claim: "a", requiredValue: "b,c=d" },
      { kind: "claim", claim: "e", requiredValue: "" },
    ],
  });
  expect(oidcIssuer(configOf(...needed))?.algorithms).toEqual(["RS256"]);
  expect(oidcIssuer(configOf())).toBeUndefined();
});

test("a file that holds no authority is told of", () => {
  const file = join(folder, "ca.crt");
  writeFileSync(file, "nothing");
  expect(() => oidcIssuer(configOf(...needed, `--oidc-ca-file=${file}`))).toThrow(
    /--oidc-ca-file: .* no PEM certificate/,
  );
});

describe("options that do not fit", () => {
  test.each<[string[], RegExp]>([
    [["--oidc-issuer-url=https://x"], /must be specified together/],
    [["--oidc-client-id=x"], /must be specified together/],
    [["--oidc-groups-claim=x"], /must be specified together/],
    [["--oidc-issuer-url=http://x", "--oidc-client-id=x"], /--oidc-issuer-url: must be an https address/],
    [["--oidc-issuer-url=x", "--oidc-client-id=x"], /--oidc-issuer-url: must be an https address/],
    [[...needed, "--oidc-username-claim="], /--oidc-username-claim: must not be empty/],
    [[...needed, "--oidc-required-claim=x"], /--oidc-required-claim: must be claim=value/],
    [["--console-oidc-client-id=x"], /--console-oidc-client-id: "x" must be the audience of --oidc-client-id/],
    [[...needed, "--console-oidc-client-id=other"], /--console-oidc-client-id: "other" must be the audience/],
    [[...needed, "--authentication-config=x"], /is mutually exclusive with --oidc-issuer-url, --oidc-client-id/],
  ])("%j", (args, expected) => {
    expect(oidcOptionErrors(configOf(...args))).toEqual([expect.stringMatching(expected)]);
  });

  test.each(["none", "HS256", "RS256,HS512", "EdDSA"])("no token is signed by %s", (algorithms) => {
    const { errors } = parseFlags(SERVER_FLAGS, [`--oidc-signing-algs=${algorithms}`]);
    expect(errors).toEqual([expect.stringMatching(/is not one of RS256/)]);
  });
});
