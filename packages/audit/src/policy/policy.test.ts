import { describe, expect, test } from "@jest/globals";
import { ConfigurationError, type UserInfo } from "@orch/machinery";
import { type Vocabulary, vocabularyOf } from "@orch/schema";
import { auditVersions } from "@orch/server-config";
import type { AuditSubject } from "../event/audit-event";
import { CompiledPolicy } from "./compiled-policy";
import { type PolicyLanguage, readPolicy } from "./read-policy";

const languageOf = (vocabulary: Vocabulary, release: string): PolicyLanguage => ({
  ...{ vocabulary, release },
  versions: auditVersions({ vocabulary, release }),
});
const language = (release = "1.26"): PolicyLanguage => languageOf(vocabularyOf("orch"), release);
const policy = (...rules: object[]) => JSON.stringify({ apiVersion: "audit.orch.io/v1", kind: "Policy", rules });

async function linesOf(text: string, release?: string): Promise<readonly string[]> {
  try {
    return (await readPolicy(text, language(release))).warnings.map((text) => `warning: ${text}`);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.lines;
    throw error;
  }
}

describe("a policy that is wrong is refused with the field and the rule", () => {
  test.each<[string, string, readonly string[]]>([
    ["no YAML", "a: [", [expect.any(String) as unknown as string]],
    ["no object", "7", ["it is not an object"]],
    [
      "another kind",
      "apiVersion: v1\nkind: Pod",
      [
        'apiVersion: Unsupported value: "v1": supported values: "audit.orch.io/v1"',
        'kind: Unsupported value: "Pod": supported values: "Policy"',
      ],
    ],
    ["no rules", policy(), ["rules: Required value: must have at least one rule"]],
    ["no level", policy({}), ["rules[0].level: Required value"]],
    [
      "an unknown level and stage",
      policy({ level: "All", omitStages: ["Late"] }),
      [
        'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
        'rules[0].omitStages[0]: Invalid value: "Late": is none of RequestReceived, ResponseStarted, ResponseComplete, Panic',
      ],
    ],
    [
      "paths that are no patterns, or stand beside resources",
      policy({ level: "None", nonResourceURLs: ["a", "/a*b", "*", "/a*"], namespaces: ["x"] }),
      [
        expect.stringMatching(/^rules\[0\]\.nonResourceURLs\[0\]: Invalid value: "a"/) as unknown as string,
        expect.stringMatching(/^rules\[0\]\.nonResourceURLs\[1\]: Invalid value/) as unknown as string,
        expect.stringMatching(/^rules\[0\]\.nonResourceURLs: Invalid value/) as unknown as string,
      ],
    ],
    [
      "resources",
      policy({ level: "None", resources: [{ group: "A!", resourceNames: ["x"] }, 7] }),
      [
        expect.stringMatching(/^rules\[0\]\.resources\[0\]\.group: Invalid value: "A!"/) as unknown as string,
        expect.stringMatching(/^rules\[0\]\.resources\[0\]\.resourceNames: Invalid value/) as unknown as string,
        "rules[0].resources[1]: Invalid value: must be an object",
      ],
    ],
    [
      "values of other types",
      policy({ level: "None", users: "me", verbs: [7] }),
      ["rules[0].users: Invalid value: must be a list", "rules[0].verbs[0]: Invalid value: must be a string"],
    ],
    [
      "an unknown field is told of",
      policy({ level: "None", usres: ["a"] }),
      ["warning: rules[0].usres: unknown field"],
    ],
  ])("%s", async (_name, text, lines) => expect(await linesOf(text)).toEqual(lines));
});

test("older versions of files, and newer fields, follow the release", async () => {
  expect(auditVersions(language("1.20"))).toEqual([
    "audit.orch.io/v1",
    "audit.orch.io/v1beta1",
    "audit.orch.io/v1alpha1",
  ]);
  expect(auditVersions(language("1.24"))).toEqual(["audit.orch.io/v1"]);
  const omitting = policy({ level: "Request", omitManagedFields: true });
  expect(await linesOf(omitting, "1.22")).toEqual(["warning: rules[0].omitManagedFields: unknown field"]);
  const { policy: read } = await readPolicy(omitting, language("1.23"));
  expect(read.rules[0]?.omitManagedFields).toBe(true);
});

test("settings of the policy apply to each rule that does not override them", async () => {
  const text = `
apiVersion: audit.orch.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: Metadata
  omitStages: [Panic]
- level: Request
  omitManagedFields: false
`;
  const { rules } = (await readPolicy(text, language())).policy;
  expect(rules).toEqual([
    { level: "Metadata", omitStages: ["RequestReceived", "Panic"], omitManagedFields: true },
    { level: "Request", omitStages: ["RequestReceived"], omitManagedFields: false },
  ]);
});

interface Asked {
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly user?: UserInfo;
}

const JANE: UserInfo = { name: "jane", groups: ["devs", "people"] };
const route = {};

function subject({ user = JANE, path, verb = "get", group = "", ...asked }: Asked, served: boolean): AuditSubject {
  const { resource = "pods", subresource = "", namespace = "default", name = "one" } = asked;
  const info =
    path === undefined
      ? { kind: "item", verb, group, resource, subresource, namespace, name, route: served ? route : undefined }
      : { kind: "path", verb, path, route: undefined };
  return { user, info: info as unknown as AuditSubject["info"] };
}

const of = (...resources: string[]) => ({ resources: [{ group: "", resources }] });

describe("a rule matches by all that it says", () => {
  test.each<[string, object, Asked, boolean]>([
    ["nothing said", {}, {}, true],
    ["nothing said, another path", {}, { path: "/metrics" }, true],
    ["the user", { users: ["jane"] }, {}, true],
    ["another user", { users: ["joe"] }, {}, false],
    ["one of the groups", { userGroups: ["x", "people"] }, {}, true],
    ["no group", { userGroups: ["x"] }, {}, false],
    ["the verb", { verbs: ["get"] }, {}, true],
    ["another verb", { verbs: ["list"] }, {}, false],
    ["the resource", of("pods"), {}, true],
    ["a resource is not its parts", of("pods"), { subresource: "log" }, false],
    ["a part", of("pods/log"), { subresource: "log" }, true],
    ["a part is not its resource", of("pods/log"), {}, false],
    ["any part of a resource, and itself", of("pods/*"), { subresource: "log" }, true],
    ["itself, by all its parts", of("pods/*"), {}, true],
    ["a part of any resource", of("*/scale"), { subresource: "scale" }, true],
    ["another part of any resource", of("*/scale"), { subresource: "log" }, false],
    ["all resources and their parts", of("*"), { subresource: "log" }, true],
    ["a group as a whole", { resources: [{ group: "apps" }] }, { group: "apps", subresource: "scale" }, true],
    ["another group", { resources: [{ group: "apps" }] }, {}, false],
    ["a name", { resources: [{ resources: ["pods"], resourceNames: ["one"] }] }, {}, true],
    ["another name", { resources: [{ resources: ["pods"], resourceNames: ["two"] }] }, {}, false],
    ["a namespace", { namespaces: ["default"] }, {}, true],
    ["no namespace", { namespaces: [""] }, { namespace: "" }, true],
    ["another namespace", { namespaces: [""] }, {}, false],
    ["namespaces are of resources", { namespaces: [""] }, { path: "/metrics" }, false],
    ["a path", { nonResourceURLs: ["/metrics"] }, { path: "/metrics" }, true],
    ["a path below", { nonResourceURLs: ["/metrics"] }, { path: "/metrics/x" }, false],
    ["the beginning of a path", { nonResourceURLs: ["/healthz*"] }, { path: "/healthz/etcd" }, true],
    ["any path", { nonResourceURLs: ["*"] }, { path: "/x" }, true],
    ["paths are of no resource", { nonResourceURLs: ["*"] }, {}, false],
  ])("%s", async (_name, rule, asked, expected) => {
    const { rules } = (await readPolicy(policy({ level: "Metadata", ...rule }), language())).policy;
    const compiled = new CompiledPolicy();
    compiled.add(rules);
    for (const served of [true, false]) {
      expect(compiled.find(subject(asked, served)).level).toBe(expected ? "Metadata" : "None");
    }
  });
});

test("the first of many rules decides, for each user", async () => {
  const many = Array.from({ length: 2000 }, (_, at) => ({ level: at % 2 ? "Request" : "None", users: [`u${at}`] }));
  const { rules } = (await readPolicy(policy(...many, { level: "Metadata" }), language())).policy;
  const compiled = new CompiledPolicy();
  for (let at = 0; at < rules.length; at += 100) compiled.add(rules.slice(at, at + 100));
  const level = (name: string) => compiled.find(subject({ user: { name, groups: [] } }, true)).level;
  expect(["u0", "u1", "u1999", "else", "u1"].map(level)).toEqual(["None", "Request", "Request", "Metadata", "Request"]);
});

test.each(["orch", "kubernetes"] as const)(
  "groups may have the names of either vocabulary in a server of %s",
  async (name) => {
    const vocabulary = vocabularyOf(name);
    for (const group of ["audit.k8s.io", "audit.orch.io"]) {
      const resources = [{ group: "rbac.authorization.k8s.io", resources: ["roles"] }];
      const text = JSON.stringify({
        apiVersion: `${group}/v1`,
        kind: "Policy",
        rules: [{ level: "Metadata", resources }],
      });
      const { policy: read, warnings } = await readPolicy(text, languageOf(vocabulary, "1.26"));
      expect(warnings).toEqual([]);
      const groups = read.rules[0]?.resources?.map((each) => each.group);
      expect(new Set(groups)).toEqual(new Set(["rbac.authorization.k8s.io", vocabulary.groups.rbac]));
    }
  },
);
