// Tests the encryption configuration file: its content, and each way in which it can be wrong.
import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { wrongLines } from "@orch/testing";
import { readConfiguration } from "./read-configuration";

const vocabulary = vocabularyOf("orch");
const SECRET = Buffer.alloc(32, 7).toString("base64");
const KEY = { name: "key1", secret: SECRET };
const KMS = { name: "vault", endpoint: "unix:///run/kms.sock" };

const documentOf = (change: object) =>
  JSON.stringify({ apiVersion: "apiserver.config.orch.io/v1", kind: "EncryptionConfiguration", ...change });
const entry = (change: object = {}) =>
  documentOf({ resources: [{ resources: ["secrets"], providers: [{ identity: {} }], ...change }] });
const provider = (of: object) => entry({ providers: [of] });
const keyed = (kind: string, ...keys: readonly object[]) => provider({ [kind]: { keys } });
const kms = (change: object) => provider({ kms: { ...KMS, ...change } });

const wrong = (text: string) => wrongLines(readConfiguration(text, vocabulary));

test("a whole configuration, in YAML", async () => {
  const text = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets, widgets.example.com, "*.apps", "*.", "*.*"]
  providers:
  - secretbox: {keys: [{name: one, secret: ${SECRET}}, {name: two, secret: ${SECRET}}]}
  - aescbc:
      keys:
      - name: three
        secret: |
          ${SECRET}
  - kms: {name: vault, endpoint: "unix:///run/kms.sock"}
  - kms: {apiVersion: v2, name: vault, endpoint: "unix:///@kms", timeout: 500ms}
  - kms: {name: none, endpoint: "unix:///run/kms.sock", cachesize: -1}
  - identity: {}
`;
  const secret = Buffer.from(SECRET, "base64");
  const terms = { apiVersion: "v1", name: "vault", endpoint: KMS.endpoint, timeoutMs: 3000, cacheSize: 1000 };
  expect(await readConfiguration(text, vocabularyOf("kubernetes"))).toEqual([
    {
      resources: ["secrets", "widgets.example.com", "*.apps", "*.", "*.*"],
      providers: [
        {
          kind: "secretbox",
          keys: [
            { name: "one", secret },
            { name: "two", secret },
          ],
        },
        { kind: "aescbc", keys: [{ name: "three", secret }] },
        { kind: "kms", terms },
        { kind: "kms", terms: { ...terms, apiVersion: "v2", endpoint: "unix:///@kms", timeoutMs: 500 } },
        { kind: "kms", terms: { ...terms, name: "none", cacheSize: 0 } },
        { kind: "identity" },
      ],
    },
  ]);
});

test.each(["orch", "kubernetes"] as const)(
  "groups may have the names of either vocabulary in a server of %s",
  async (name) => {
    for (const group of ["apiserver.config.k8s.io", "apiserver.config.orch.io"]) {
      const resources = ["roles.rbac.authorization.k8s.io", "roles.rbac.authorization.orch.io", "a.example.io"];
      const text = documentOf({ apiVersion: `${group}/v1`, resources: [{ resources, providers: [{ identity: {} }] }] });
      const [entry] = await readConfiguration(text, vocabularyOf(name));
      const own = `roles.${vocabularyOf(name).groups.rbac}`;
      expect(new Set(entry?.resources)).toEqual(new Set([...resources, own]));
    }
  },
);

const AT = "resources[0].providers[0]";
describe("an error names the field and the rule", () => {
  test.each<[string, string, string]>([
    ["no object", "[]", "it is not an object"],
    [
      "another version",
      documentOf({ apiVersion: "v1", resources: [] }),
      'apiVersion: Unsupported value: "v1": supported values: "apiserver.config.orch.io/v1"',
    ],
    [
      "another kind",
      documentOf({ kind: "Secret" }),
      'kind: Unsupported value: "Secret": supported values: "EncryptionConfiguration"',
    ],
    ["an unknown field", documentOf({ resource: [] }), "resource: unknown field"],
    ["no entries", documentOf({}), "resources: Required value: at least one entry must be given"],
    [
      "no resources",
      entry({ resources: [] }),
      "resources[0].resources: Required value: at least one resource must be named",
    ],
    [
      "a bare asterisk",
      entry({ resources: ["*"] }),
      'resources[0].resources[0]: Invalid value: "*": must be resource, ',
    ],
    [
      "capital letters",
      entry({ resources: ["Secrets"] }),
      'resources[0].resources[0]: Invalid value: "Secrets": must be',
    ],
    [
      "no providers",
      entry({ providers: [] }),
      "resources[0].providers: Required value: at least one provider must be given",
    ],
    [
      "a provider of no kind",
      provider({}),
      `${AT}: Invalid value: "REDACTED": provider must be one of aesgcm, aescbc, `,
    ],
    [
      "a provider that is null",
      provider({ identity: null }),
      `${AT}: Invalid value: "REDACTED": provider must be one of`,
    ],
    [
      "a provider of two kinds",
      provider({ identity: {}, aescbc: { keys: [KEY] } }),
      `${AT}: Invalid value: "REDACTED": more than one provider specified in a single element, should split into different list elements`,
    ],
    ["an unknown provider", provider({ rot13: {} }), `${AT}.rot13: unknown field`],
    ["no keys", keyed("aescbc"), `${AT}.aescbc.keys: Required value: at least one key must be given`],
    ["a key without a name", keyed("aesgcm", { secret: SECRET }), `${AT}.aesgcm.keys[0].name: Required value`],
    ["a key without a secret", keyed("aesgcm", { name: "a" }), `${AT}.aesgcm.keys[0].secret: Required value`],
    [
      "a secret that is no base64",
      keyed("aesgcm", KEY, { name: "a", secret: "hunter2!" }),
      `${AT}.aesgcm.keys[1].secret: Invalid value: "REDACTED": secrets must be base64 encoded`,
    ],
    [
      "a secret that is a number",
      keyed("aesgcm", { name: "a", secret: 1234 }),
      `${AT}.aesgcm.keys[0].secret: Invalid value: must be a string`,
    ],
    [
      "a secret of another length",
      keyed("aescbc", { name: "a", secret: Buffer.alloc(17).toString("base64") }),
      `${AT}.aescbc.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 17, expected one of [16 24 32]`,
    ],
    [
      "a short secret for secretbox",
      keyed("secretbox", { name: "a", secret: Buffer.alloc(16).toString("base64") }),
      `${AT}.secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]`,
    ],
    ["a service without a name", kms({ name: "" }), `${AT}.kms.name: Required value`],
    [
      "a service with a colon in its name",
      kms({ name: "a:b" }),
      `${AT}.kms.name: Invalid value: "a:b": must not contain a colon`,
    ],
    ["a service without a place", kms({ endpoint: "" }), `${AT}.kms.endpoint: Required value`],
    [
      "a service elsewhere",
      kms({ endpoint: "tcp://127.0.0.1:1" }),
      `${AT}.kms.endpoint: Invalid value: "tcp://127.0.0.1:1": unsupported scheme "tcp" for KMS provider, only unix is supported`,
    ],
    [
      "a service at no place",
      kms({ endpoint: "unix:///" }),
      `${AT}.kms.endpoint: Invalid value: "unix:///": must be unix:///path`,
    ],
    ["no time for a service", kms({ timeout: "0s" }), `${AT}.kms.timeout: Invalid value: "0s": must be more than 0s`],
    ["a time that is none", kms({ timeout: "soon" }), `${AT}.kms.timeout: Invalid value: "soon": must be a duration`],
    [
      "a cache of nothing",
      kms({ cachesize: 0 }),
      `${AT}.kms.cachesize: Invalid value: 0: must not be 0; use a negative value to disable the cache`,
    ],
    [
      "a cache in v2",
      kms({ apiVersion: "v2", cachesize: 5 }),
      `${AT}.kms.cachesize: Invalid value: 5: is not supported in v2`,
    ],
    [
      "another version of the interface",
      kms({ apiVersion: "v3" }),
      `${AT}.kms.apiVersion: Unsupported value: "v3": supported values: "v1", "v2"`,
    ],
  ])("%s", async (_what, text, expected) => {
    const [line] = await wrong(text);
    expect(line).toContain(expected);
  });

  test("a name that two services of v2 have", async () => {
    const service = { kms: { ...KMS, apiVersion: "v2" } };
    expect(await wrong(entry({ providers: [service, { kms: KMS }, service] }))).toEqual([
      'resources[0].providers[2].kms.name: Invalid value: "vault": must be unique among providers of v2',
    ]);
  });

  test("all at once, and never a secret", async () => {
    const secret = "c2VjcmV0IG9mIHRoZSB3cm9uZyBsZW5ndGg=";
    const lines = await wrong(
      entry({
        resources: [],
        providers: [
          { aescbc: { keys: [{ secret }] }, secretbox: { secret } },
          { aesgcm: { keys: [{ secret, more: 1 }] } },
        ],
      }),
    );
    expect(lines.length).toBe(5);
    expect(lines.join()).not.toContain("c2Vj");
    expect((await wrong(`resources: [{providers: [{aescbc: {keys: [{secret: "${secret}}]}}]}]`)).join()).not.toContain(
      "c2Vj",
    );
  });

  test("too many of anything", async () => {
    const many = (count: number, of: object) => Array.from({ length: count }, () => of);
    const full = { resources: ["secrets"], providers: [{ identity: {} }] };
    expect(await wrong(documentOf({ resources: many(1001, full) }))).toEqual([
      "resources: Too many: 1001: must have at most 1000 items",
    ]);
    expect(await wrong(entry({ providers: many(101, { identity: {} }) }))).toEqual([
      "resources[0].providers: Too many: 101: must have at most 100 items",
    ]);
    expect(await wrong(keyed("aesgcm", ...many(101, KEY)))).toEqual([
      `${AT}.aesgcm.keys: Too many: 101: must have at most 100 items`,
    ]);
  });
});
