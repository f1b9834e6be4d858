// Policies and webhooks of manifest files on a real server. Source: KEP-5793, "Manifest Based Admission Control Config".
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const GATE = { ManifestBasedAdmissionControlConfig: true };
const MAPS = "/api/v1/namespaces/default/configmaps";
const API = "/apis/admissionregistration.orch.io/v1";
const SUFFIX = ".static.orch.io";

let folder: string;
let server: RunningServer;
let admin: ApiClient;

const policy = (name: string, expression: string, resources = ["configmaps"], apiGroups = [""]) => `
apiVersion: admissionregistration.orch.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ${JSON.stringify(apiGroups)}, apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: ${JSON.stringify(resources)}}
  validations: [{expression: ${JSON.stringify(expression)}}]
`;
const binding = (name: string, policyName = name) => `
apiVersion: admissionregistration.orch.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec: {policyName: ${policyName}, validationActions: [Deny]}
`;
const both = (name: string, expression: string, resources?: string[], groups?: string[]) =>
  `${policy(name, expression, resources, groups)}---\n${binding(name)}`;

const DENYING = both(`names${SUFFIX}`, "object == null || object.metadata.name != 'denied'");
const PROTECTED = both(
  `policies${SUFFIX}`,
  "request.operation != 'CREATE' || object.metadata.name != 'forbidden'",
  ["validatingadmissionpolicies"],
  ["admissionregistration.orch.io"],
);

/** Writes the configuration and the files of the policies. @returns the flags of a server */
function configured(
  files: Readonly<Record<string, string>>,
  {
    plugin = "ValidatingAdmissionPolicy",
    kind = "ValidatingAdmissionPolicyConfiguration",
    directory = "",
  }: { readonly plugin?: string; readonly kind?: string; readonly directory?: string } = {},
) {
  const at = mkdtempSync(join(folder, "server-"));
  mkdirSync(join(at, "manifests"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, "manifests", name), text);
  const path = join(at, "admission.yaml");
  writeFileSync(
    path,
    `apiVersion: apiserver.config.orch.io/v1
kind: AdmissionConfiguration
plugins:
- name: ${plugin}
  configuration:
    apiVersion: apiserver.config.orch.io/v1
    kind: ${kind}
    staticManifestsDir: ${directory === "" ? join(at, "manifests") : directory}
`,
  );
  const flags: StartOptions["flags"] = {
    "emulated-release": "1.36",
    "admission-control-config-file": path,
    "feature-gates": GATE,
  };
  return { flags, manifests: join(at, "manifests") };
}

let manifests: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "admission-manifests-"));
  const made = configured({ "a.yaml": DENYING, "b.yml": PROTECTED, "notes.txt": "no manifest" });
  ({ manifests } = made);
  server = await startServer({ flags: made.flags });
  admin = new ApiClient(server, server.admin);
});

afterAll(async () => {
  admin.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe("policies of manifest files", () => {
  test("are enforced, and are not objects of the API", async () => {
    const denied = await admin.post(MAPS, { metadata: { name: "denied" } });
    expect(denied).toMatchObject({ code: 422, json: { message: expect.stringContaining(`names${SUFFIX}`) } });
    expect((await admin.post(MAPS, { metadata: { name: "allowed" } })).code).toBe(201);
    expect((await admin.get(`${API}/validatingadmissionpolicies`)).json.items).toEqual([]);
  });

  const ofApi = (name: string) => ({
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
      },
      validations: [{ expression: "false" }],
    },
  });

  test("protect policies of the API, which other policies do not", async () => {
    const post = (name: string) => admin.post(`${API}/validatingadmissionpolicies`, ofApi(name));
    expect(await post("forbidden")).toMatchObject({
      code: 422,
      json: { message: expect.stringContaining(`policies${SUFFIX}`) },
    });
    expect((await post("permitted")).code).toBe(201);
    await admin.delete(`${API}/validatingadmissionpolicies/permitted`);
  });

  test("have names that the API does not give", async () => {
    const answer = await admin.post(`${API}/validatingadmissionpolicies`, ofApi(`own${SUFFIX}`));
    expect(answer).toMatchObject({ code: 422, json: { details: { causes: [{ field: "metadata.name" }] } } });
  });

  test("are read again after a change, and stay when a changed file is invalid", async () => {
    const answers = async (name: string, code: number) => {
      const end = Date.now() + 30_000;
      for (;;) {
        const answer = await admin.post(`${MAPS}?dryRun=All`, { metadata: { name } });
        if (answer.code === code || Date.now() > end) return answer.code;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    writeFileSync(join(manifests, "a.yaml"), DENYING.replaceAll("denied", "other"));
    expect(await answers("other", 422)).toBe(422);
    expect(await answers("denied", 201)).toBe(201);
    writeFileSync(join(manifests, "a.yaml"), DENYING.replace("validations", "validation"));
    writeFileSync(join(manifests, "c.yaml"), both(`third${SUFFIX}`, "object.metadata.name != 'third'"));
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await answers("other", 422)).toBe(422);
    expect(await answers("third", 201)).toBe(201);
    writeFileSync(join(manifests, "a.yaml"), DENYING);
    expect(await answers("third", 422)).toBe(422);
  }, 60_000);
});

test.each<[string, Readonly<Record<string, string>>, Parameters<typeof configured>[1], string]>([
  ["an unknown field", { "a.yaml": DENYING.replace("validations", "validation") }, {}, "a.yaml: spec.validation:"],
  ["an invalid object", { "a.yaml": both(`n${SUFFIX}`, "") }, {}, "spec.validations[0].expression: Required value"],
  ["a name without the suffix", { "a.yaml": both("names", "true") }, {}, `must have a name ending with "${SUFFIX}"`],
  ["a name that is given twice", { "a.yaml": DENYING, "b.yaml": DENYING }, {}, "b.yaml"],
  ["a binding without its policy", { "a.yaml": binding(`b${SUFFIX}`) }, {}, "does not exist in the manifest directory"],
  [
    "parameters",
    {
      "a.yaml": DENYING.replace(
        "validationActions",
        "paramRef: {name: p, parameterNotFoundAction: Deny}, validationActions",
      ),
    },
    {},
    "spec.paramRef is not supported",
  ],
  [
    "an object of another kind",
    { "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}" },
    {},
    "unsupported resource type v1, Kind=ConfigMap",
  ],
  ["text that is no YAML", { "a.yaml": "a: [" }, {}, "a.yaml"],
  ["a relative directory", {}, { directory: "manifests" }, "must be an absolute file path"],
  ["a directory that does not exist", {}, { directory: "/nonexistent/manifests" }, "unable to read"],
  [
    "another configuration",
    {},
    { kind: "MutatingAdmissionPolicyConfiguration" },
    "Kind=ValidatingAdmissionPolicyConfiguration",
  ],
  [
    "a webhook by service",
    {
      "a.yaml": `
apiVersion: admissionregistration.orch.io/v1
kind: ValidatingWebhookConfigurationList
items:
- metadata: {name: hooks${SUFFIX}}
  webhooks:
  - name: a.example.com
    clientConfig: {service: {name: service, namespace: default}}
    rules: []
    sideEffects: None
    admissionReviewVersions: [v1]
`,
    },
    { plugin: "ValidatingAdmissionWebhook", kind: "WebhookAdmissionConfiguration" },
    "clientConfig.service is not supported for static manifests",
  ],
])("a server does not start with %s", async (_what, files, of, message) => {
  await expect(startServer({ flags: configured(files, of).flags })).rejects.toThrow(message);
});

test("a server does not start with a manifest directory while the gate is off", async () => {
  const { flags } = configured({});
  const off = { ...flags, "feature-gates": {} };
  await expect(startServer({ flags: off })).rejects.toThrow("ManifestBasedAdmissionControlConfig is needed");
});

test("a server without the gate warns about the reserved names", async () => {
  const plain = await startServer({ flags: { "emulated-release": "1.36" } });
  const client = new ApiClient(plain, plain.admin);
  try {
    const answer = await client.post(`${API}/validatingwebhookconfigurations`, { metadata: { name: `a${SUFFIX}` } });
    expect(answer.code).toBe(201);
    expect(answer.headers["warning"]).toContain("are reserved for static manifest-based configurations");
  } finally {
    client.close();
    await plain.stop();
  }
});

test("webhooks of manifest files are called, for configurations of webhooks as well", async () => {
  const hooks = `
apiVersion: admissionregistration.orch.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks${SUFFIX}}
webhooks:
- name: a.example.com
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules:
  - {apiGroups: ["", admissionregistration.orch.io], apiVersions: [v1], operations: [CREATE], resources: [secrets, validatingwebhookconfigurations]}
  sideEffects: None
  admissionReviewVersions: [v1]
`;
  const of = { plugin: "ValidatingAdmissionWebhook", kind: "WebhookAdmissionConfiguration" };
  const made = await startServer({ flags: configured({ "hooks.yaml": hooks }, of).flags });
  const client = new ApiClient(made, made.admin);
  try {
    const failed = { code: 500, json: { message: expect.stringContaining('failed calling webhook "a.example.com"') } };
    const secrets = "/api/v1/namespaces/default/secrets";
    expect(await client.post(secrets, { metadata: { name: "a" } })).toMatchObject(failed);
    const configuration = { metadata: { name: "other" } };
    expect(await client.post(`${API}/validatingwebhookconfigurations`, configuration)).toMatchObject(failed);
    expect((await client.post(`${API}/mutatingwebhookconfigurations`, configuration)).code).toBe(201);
  } finally {
    client.close();
    await made.stop();
  }
});
