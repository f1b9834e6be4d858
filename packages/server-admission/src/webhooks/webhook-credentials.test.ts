import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Identity } from "@orch/client";
import { namesFor, openCredentials } from "./webhook-credentials";

const OWN = "orch.default.svc:443";
const POD: Identity = { credentials: { tokenFile: "/run/token" } };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "webhook-credentials-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Written {
  readonly users: Readonly<Record<string, object>>;
  /** User of the current context. */
  readonly current?: string;
}

function opened({ users, current }: Written, pod: Identity | undefined = undefined) {
  const file = join(folder, "config.json");
  const contexts = current === undefined ? [] : [{ name: "c", context: { cluster: "", user: current } }];
  const entries = Object.entries(users).map(([name, user]) => ({ name, user }));
  const text = { apiVersion: "v1", kind: "Config", users: entries, contexts, "current-context": current && "c" };
  writeFileSync(file, JSON.stringify(text));
  return openCredentials(file, { target: OWN, identity: () => pod });
}

const token = (text: string) => ({ token: text });
const tokenOf = (identity: Identity | undefined) => identity?.credentials.token;

test("names are looked for from the one that says most to the one that says least", () => {
  expect(namesFor("a.b.svc:443")).toEqual([
    ...["a.b.svc:443", "*.b.svc:443", "*.svc:443"],
    ...["a.b.svc", "*.b.svc", "*.svc"],
  ]);
  expect(namesFor("host:8443")).toEqual(["host:8443"]);
});

describe("which user is shown", () => {
  test.each<[string, Written, string, string | undefined]>([
    [
      "with the port",
      { users: { "a.b.svc:443": token("1"), "a.b.svc": token("2"), "*": token("3") } },
      "a.b.svc:443",
      "1",
    ],
    [
      "of a wildcard with the port",
      { users: { "*.b.svc:443": token("1"), "a.b.svc": token("2") } },
      "a.b.svc:443",
      "1",
    ],
    ["of the longer wildcard", { users: { "*.svc:443": token("1"), "*.b.svc:443": token("2") } }, "a.b.svc:443", "2"],
    [
      "without the port, where it is 443",
      { users: { "a.b.svc": token("1"), "*.b.svc": token("2") } },
      "a.b.svc:443",
      "1",
    ],
    ["not without the port, where it is another", { users: { "a.b.svc": token("1") } }, "a.b.svc:8443", undefined],
    ["of a host", { users: { "127.0.0.1:8443": token("1"), "*": token("2") } }, "127.0.0.1:8443", "1"],
    ["of everybody", { users: { "*": token("1"), me: token("2") }, current: "me" }, "a.b.svc:443", "1"],
    ["of the current context", { users: { me: token("1") }, current: "me" }, "a.b.svc:443", "1"],
    ["nobody", { users: { me: token("1") } }, "a.b.svc:443", undefined],
    ["of the server's own service", { users: { "*": token("1") } }, OWN, "1"],
  ])("%s", (_which, written, target, expected) => expect(tokenOf(opened(written).of(target))).toBe(expected));

  test("the pod's own, where the process runs in one and is asked about the server's own service", () => {
    const credentials = opened({ users: { "*": token("1"), "named.example:443": token("2") } }, POD);
    expect(credentials.of(OWN)).toBe(POD);
    expect(tokenOf(credentials.of("a.b.svc:443"))).toBe("1");
    expect(tokenOf(opened({ users: { [OWN]: token("3") } }, POD).of(OWN))).toBe("3");
  });
});

describe("the credentials of a user", () => {
  test.each<[string, object, object]>([
    ["a token", token("1"), { credentials: { token: "1" } }],
    ["a token rather than a file", { token: "1", tokenFile: "/t" }, { credentials: { token: "1" } }],
    ["a token's file", { tokenFile: "/t" }, { credentials: { tokenFile: "/t" } }],
    ["a password", { username: "u", password: "p" }, { credentials: {}, password: { user: "u", password: "p" } }],
    [
      "another whom it speaks for",
      { token: "1", as: "zoe", "as-groups": ["g"] },
      { credentials: { token: "1" }, impersonation: { user: "zoe", groups: ["g"] } },
    ],
  ])("%s", (_what, user, expected) => expect(opened({ users: { "*": user } }).of("a:443")).toEqual(expected));

  test("the same object, as long as it is the same user", () => {
    const credentials = opened({ users: { "*": token("1") } });
    expect(credentials.of("a:443")).toBe(credentials.of("a:443"));
  });

  test.each<[string, object, string]>([
    ["auth-provider", { "auth-provider": { name: "gcp" } }, "auth-provider is not supported"],
    ["a certificate without its key", { "client-certificate": "/c" }, "must be set together"],
  ])("%s is an error", (_what, user, message) => {
    const credentials = opened({ users: { "*": user } });
    expect(() => credentials.of("a:443")).toThrow(message);
  });
});

test.each<[string, string | undefined, string]>([
  ["is not there", undefined, "ENOENT"],
  ["is none", "[1]", "expected an object"],
  ["is of another kind", '{"kind":"Pod","apiVersion":"v1"}', "expected kind Config"],
])("a file that %s is an error when it is opened", (_what, text, message) => {
  const file = join(folder, "broken.json");
  rmSync(file, { force: true });
  if (text !== undefined) writeFileSync(file, text);
  expect(() => openCredentials(file, { target: OWN, identity: () => undefined })).toThrow(message);
});
