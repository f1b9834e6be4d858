import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { wrongLines } from "@orch/testing";
import type { AuthorizationPlan } from "../settings/authorization-plan";
import { readConfiguration } from "./read-configuration";

const SITE = { vocabulary: vocabularyOf("orch"), withSelectors: true, release: "1.36" };
const folder = mkdtempSync(join(tmpdir(), "read-configuration-"));
const file = join(folder, "webhook.kubeconfig");
writeFileSync(file, "");
afterAll(() => rmSync(folder, { recursive: true }));

const GOOD = {
  ...{ timeout: "3s", authorizedTTL: "1m", unauthorizedTTL: "10s", subjectAccessReviewVersion: "v1" },
  ...{ failurePolicy: "NoOpinion", connectionInfo: { type: "KubeConfigFile", kubeConfigFile: file } },
};
const webhook = (change: object = {}) => ({ type: "Webhook", name: "hook", webhook: { ...GOOD, ...change } });
const conditions = (...expressions: readonly string[]) =>
  webhook({
    matchConditionSubjectAccessReviewVersion: "v1",
    matchConditions: expressions.map((expression) => ({ expression })),
  });

const documentOf = (authorizers: unknown, change: object = {}): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.orch.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers,
    ...change,
  });

const wrong = (text: string) => wrongLines(readConfiguration(text, SITE));

describe("a configuration of authorizers", () => {
  test.each([
    "apiserver.config.orch.io/v1",
    "apiserver.config.orch.io/v1beta1",
    "apiserver.config.orch.io/v1alpha1",
    "apiserver.config.k8s.io/v1",
  ])("a configuration of version %s, in YAML", async (version) => {
    const text = `
apiVersion: ${version}
kind: AuthorizationConfiguration
authorizers:
- {type: Node, name: node}
- type: Webhook
  name: hook
  webhook:
    timeout: 1500ms
    authorizedTTL: 1m
    subjectAccessReviewVersion: v1beta1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    cacheUnauthorizedRequests: false
    connectionInfo: {type: InClusterConfig}
    matchConditions:
    - expression: request.user != 'x'
- {type: RBAC, name: rbac}
`;
    const plan: AuthorizationPlan = await readConfiguration(text, SITE);
    expect(plan.authorizers).toEqual([
      { type: "Node", name: "node" },
      { type: "Webhook", name: "hook" },
      { type: "RBAC", name: "rbac" },
    ]);
    expect(plan.webhooks).toMatchObject([
      {
        name: "hook",
        options: {
          ...{ version: "v1beta1", authorizedTtlMs: 60_000, unauthorizedTtlMs: 0 },
          ...{ failurePolicy: "Deny", timeoutMs: 1500 },
        },
        conditions: [{ source: "request.user != 'x'" }],
        configurationFile: undefined,
      },
    ]);
  });

  test("uses the default times of Kubernetes where it names none", async () => {
    const { webhooks } = await readConfiguration(
      documentOf([webhook({ authorizedTTL: undefined, unauthorizedTTL: undefined })]),
      SITE,
    );
    expect(webhooks[0]).toMatchObject({
      options: { authorizedTtlMs: 300_000, unauthorizedTtlMs: 30_000 },
      configurationFile: { option: "authorization-config", file },
    });
  });

  const at = "authorizers[0]";
  const hook = `${at}.webhook`;
  const info = `${hook}.connectionInfo`;
  test.each<[string, string, readonly (string | RegExp)[]]>([
    ["no YAML", "a: [", [/./]],
    ["no object", "[]", ["it is not an object"]],
    ["a word twice", "kind: a\nkind: b", [/given twice/]],
    [
      "something else",
      JSON.stringify({ apiVersion: "v1", kind: "Pod", more: 1 }),
      [
        "more: unknown field",
        /^apiVersion: Unsupported value: "v1": supported values: "apiserver.config.orch.io\/v1"/,
        'kind: Unsupported value: "Pod": supported values: "AuthorizationConfiguration"',
        "authorizers: Required value: at least one authorization mode must be defined",
      ],
    ],
    ["no list", documentOf({}), ["authorizers: Invalid value: must be a list", /^authorizers: Required/]],
    ["no objects in it", documentOf([7]), [`${at}: Invalid value: must be an object`, /Required/, /Required/]],
    ["no type, no name", documentOf([{}]), [`${at}.type: Required value`, `${at}.name: Required value`]],
    [
      "a type that is not known",
      documentOf([{ type: "Rbac", name: "a" }]),
      [
        `${at}.type: Unsupported value: "Rbac": supported values: "AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"`,
      ],
    ],
    [
      "a type twice",
      documentOf([
        { type: "RBAC", name: "a" },
        { type: "RBAC", name: "b" },
      ]),
      ['authorizers[1].type: Duplicate value: "RBAC"'],
    ],
    [
      "a name twice",
      documentOf([
        { type: "RBAC", name: "a" },
        { type: "Node", name: "a" },
      ]),
      ['authorizers[1].name: Duplicate value: "a"'],
    ],
    [
      "a name that is none",
      documentOf([{ type: "RBAC", name: "A b" }]),
      [/^authorizers\[0\]\.name: Invalid value: "A b"/],
    ],
    [
      "a webhook where there is none",
      documentOf([{ type: "RBAC", name: "a", webhook: GOOD }]),
      [`${hook}: Forbidden: may only be specified when type is Webhook`],
    ],
    [
      "no webhook where there is one",
      documentOf([{ type: "Webhook", name: "a" }]),
      [`${hook}: Required value: required when type is Webhook`],
    ],
    [
      "an empty webhook",
      documentOf([{ type: "Webhook", name: "a", webhook: {} }]),
      [
        `${hook}.subjectAccessReviewVersion: Required value`,
        `${hook}.failurePolicy: Required value`,
        `${hook}.timeout: Required value`,
        `${info}.type: Required value`,
      ],
    ],
    [
      "a time that is none",
      documentOf([webhook({ timeout: "soon" })]),
      [/timeout: Invalid value: "soon": must be a duration/],
    ],
    [
      "no time at all",
      documentOf([webhook({ timeout: "0s" })]),
      [/timeout: Invalid value: "0s": must be more than 0s/],
    ],
    ["too long a time", documentOf([webhook({ timeout: "31s" })]), [/"31s": must be more than 0s, and at most 30s$/]],
    ["a time in numbers", documentOf([webhook({ timeout: 3 })]), [/timeout: Invalid value: 3: must be a duration/]],
    [
      "answers kept for less than no time",
      documentOf([webhook({ authorizedTTL: "-1s", unauthorizedTTL: "-1s" })]),
      [/authorizedTTL: Invalid value: "-1s": must be more than 0s/, /unauthorizedTTL: Invalid/],
    ],
    [
      "versions and policies that are not known",
      documentOf([webhook({ subjectAccessReviewVersion: "v2", failurePolicy: "Allow" })]),
      [
        `${hook}.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"`,
        `${hook}.failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"`,
      ],
    ],
    [
      "a file in a cluster",
      documentOf([webhook({ connectionInfo: { type: "InClusterConfig", kubeConfigFile: file } })]),
      [/kubeConfigFile: Invalid value: ".*": can only be set when type is KubeConfigFile/],
    ],
    [
      "no file",
      documentOf([webhook({ connectionInfo: { type: "KubeConfigFile" } })]),
      [`${info}.kubeConfigFile: Required value`],
    ],
    [
      "a file from here",
      documentOf([webhook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "here" } })]),
      [`${info}.kubeConfigFile: Invalid value: "here": must be an absolute path`],
    ],
    [
      "a file that is not there",
      documentOf([webhook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: join(folder, "none") } })]),
      [/kubeConfigFile: Invalid value: ".*none": ENOENT/],
    ],
    [
      "a folder for a file",
      documentOf([webhook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: folder } })]),
      [/kubeConfigFile: Invalid value: ".*": must be an existing file/],
    ],
    [
      "conditions of no version",
      documentOf([webhook({ matchConditions: [{ expression: "true" }] })]),
      [`${hook}.matchConditionSubjectAccessReviewVersion: Required value`],
    ],
    [
      "conditions of another version",
      documentOf([webhook({ matchConditionSubjectAccessReviewVersion: "v1beta1" })]),
      [/matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"/],
    ],
    [
      "conditions that are none",
      documentOf([conditions("", "request.", "request.user", "request.nothing == 1", "true", "true")]),
      [
        `${hook}.matchConditions[0].expression: Required value`,
        /^authorizers\[0\]\.webhook\.matchConditions\[1\]\.expression: Invalid value: "request\.": compilation failed: ERROR/,
        /\[2\]\.expression: Invalid value: "request\.user": must evaluate to bool$/,
        /\[3\]\.expression: .*undefined field 'nothing'/s,
        `${hook}.matchConditions[5].expression: Duplicate value: "true"`,
      ],
    ],
    [
      "too many conditions",
      documentOf([conditions(...Array.from({ length: 65 }, (_, index) => `request.user != '${index}'`))]),
      [`${hook}.matchConditions: Too many: 65: must have at most 64 items`],
    ],
    [
      "words that mean nothing",
      documentOf([webhook({ failurepolicy: "Deny" })], {}),
      [`${hook}.failurepolicy: unknown field`],
    ],
  ])("is refused with path and rule: %s", async (_what, text, lines) => {
    const found = await wrong(text);
    expect(found).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) {
      if (typeof line === "string") expect(found[index]).toBe(line);
      else expect(found[index]).toMatch(line);
    }
  });

  test("a configuration with a thousand errors reports a bounded number", async () => {
    expect(await wrong(documentOf(Array.from({ length: 1000 }, () => ({}))))).toHaveLength(100);
  });
});

test("conditions may name selectors while authorizers receive them", async () => {
  const text = documentOf([conditions("has(request.resourceAttributes.labelSelector)")]);
  expect((await readConfiguration(text, SITE)).webhooks[0]?.conditions).toHaveLength(1);
  expect(await wrongLines(readConfiguration(text, { ...SITE, withSelectors: false }))).toEqual([
    expect.stringContaining("undefined field 'labelSelector'"),
  ]);
});

test("conditions may call the functions of the release and the additions of Orch", async () => {
  const reads = async (expression: string, site: Partial<typeof SITE>): Promise<number | undefined> =>
    (await readConfiguration(documentOf([conditions(expression)]), { ...SITE, ...site })).webhooks[0]?.conditions
      .length;
  expect(await reads("math.abs(-1) == 1", {})).toBe(1);
  expect(await reads("isSemver(request.user)", { release: "1.33" })).toBe(1);
  await expect(reads("isSemver(request.user)", { release: "1.32" })).rejects.toThrow(
    "undeclared reference to 'isSemver'",
  );
});
