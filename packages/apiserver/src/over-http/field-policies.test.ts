// Admission policies of other projects: all files in the folder that FIELD_POLICIES names, one JSON file for each with
// its dependencies, its binding, and objects that pass or fail. The repository contains none of them; without the
// folder a policy of this test is used.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const FOLDER = process.env["FIELD_POLICIES"];
/** A bound against hanging, for large folders. */
const WITHIN_MS = 600_000;

type FieldObject = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
};

interface FieldPolicy {
  /** Objects that must exist first, such as parameters and the definition of their kind. */
  readonly objects: readonly FieldObject[];
  readonly policy: FieldObject;
  readonly binding: FieldObject;
  readonly cases: readonly {
    readonly name: string;
    readonly object: FieldObject;
    readonly expected: "pass" | "fail" | "warn";
  }[];
}

const API = "admissionregistration.k8s.io/v1";
const pod = (name: string, spec: JsonObject): FieldObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "main", image: "registry.example/web:1", ...spec }] },
});

/** Common features: variables, match conditions, parameters and message expressions. */
const OWN: FieldPolicy = {
  objects: [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "images", namespace: "default" },
      data: { from: "registry.example/" },
    },
  ],
  policy: {
    apiVersion: API,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "images" },
    spec: {
      failurePolicy: "Fail",
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["pods"] },
        ],
      },
      matchConditions: [{ name: "not-system", expression: "!request.userInfo.username.startsWith('system:node:')" }],
      variables: [
        { name: "containers", expression: "object.spec.containers + object.spec.?initContainers.orValue([])" },
        { name: "foreign", expression: "variables.containers.filter(c, !c.image.startsWith(params.data.from))" },
      ],
      validations: [
        {
          expression: "variables.foreign.size() == 0",
          messageExpression: "'not from ' + params.data.from + ': ' + variables.foreign.map(c, c.name).join(', ')",
        },
        {
          expression:
            "variables.containers.all(c, !has(c.securityContext) || !c.securityContext.?privileged.orValue(false))",
        },
      ],
    },
  },
  binding: {
    apiVersion: API,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "images" },
    spec: {
      policyName: "images",
      validationActions: ["Deny"],
      paramRef: { name: "images", parameterNotFoundAction: "Deny" },
    },
  },
  cases: [
    { name: "an image from there", object: pod("own", {}), expected: "pass" },
    { name: "one from elsewhere", object: pod("foreign", { image: "elsewhere.example/web:1" }), expected: "fail" },
    { name: "all rights", object: pod("mighty", { securityContext: { privileged: true } }), expected: "fail" },
    { name: "few rights", object: pod("modest", { securityContext: { privileged: false } }), expected: "pass" },
  ],
};

let admin: ApiClient;
useServer(
  (running) => {
    ({ admin } = running);
  },
  {
    vocabulary: "kubernetes",
    flags: { "emulated-release": "1.26", "disable-admission-plugins": ["ServiceAccount"], "allow-privileged": true },
  },
);

function policies(): readonly (FieldPolicy & { readonly from: string })[] {
  if (FOLDER === undefined) return [{ ...OWN, from: "our own" }];
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
  return files.sort().map((name) => ({ ...JSON.parse(readFileSync(join(FOLDER, name), "utf8")), from: name }));
}

const plurals = new Map<string, { readonly name: string; readonly namespaced: boolean }>();

/** @returns undefined for a kind that is not served */
async function pathOf({ apiVersion, kind, metadata }: FieldObject): Promise<string | undefined> {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const key = `${apiVersion} ${kind}`;
  if (!plurals.has(key)) {
    const { code, json } = await admin.get(root);
    if (code !== 200) return undefined;
    for (const each of json.resources as unknown as { name: string; kind: string; namespaced: boolean }[]) {
      if (!each.name.includes("/")) plurals.set(`${apiVersion} ${each.kind}`, each);
    }
  }
  const resource = plurals.get(key);
  if (resource === undefined) return undefined;
  const { namespace = "default" } = metadata;
  return resource.namespaced ? `${root}/namespaces/${namespace}/${resource.name}` : `${root}/${resource.name}`;
}

async function make(object: FieldObject): Promise<string> {
  const path = await pathOf(object);
  if (path === undefined) return `${object.apiVersion} ${object.kind} is not served`;
  const { namespace } = object.metadata;
  if (namespace !== undefined) await admin.post("/api/v1/namespaces", { metadata: { name: namespace } });
  const { code, json } = await admin.post(path, object);
  return code === 201 || code === 409 ? "" : json.message;
}

async function remove(object: FieldObject): Promise<void> {
  await admin.delete(`${await pathOf(object)}/${object.metadata.name}`);
}

test(
  "policies of other projects are accepted and decide as their authors expect",
  async () => {
    const found: Record<string, string[]> = { refused: [], otherwise: [], unasked: [] };
    let taken = 0;
    let asked = 0;
    for (const { from, objects, policy, binding, cases } of policies()) {
      for (const object of objects) await make(object);
      const why = (await make(policy)) || (await make(binding));
      if (why !== "") {
        found["refused"]?.push(`${from}: ${why}`);
        continue;
      }
      taken += 1;
      for (const { name, object, expected } of cases) {
        const path = await pathOf(object);
        if (path === undefined) {
          found["unasked"]?.push(`${from}, ${name}: ${object.apiVersion} ${object.kind} is not served`);
          continue;
        }
        const { namespace } = object.metadata;
        if (namespace !== undefined) await admin.post("/api/v1/namespaces", { metadata: { name: namespace } });
        const { code, text, headers } = await admin.post(`${path}?dryRun=All`, object);
        const said =
          code === 201 ? (String(headers["warning"]).includes("Validation failed") ? "warn" : "pass") : "fail";
        const isOurs = code === 201 || text.includes("ValidatingAdmissionPolicy");
        if (!isOurs) found["unasked"]?.push(`${from}, ${name}: ${text.slice(0, 300)}`);
        else if (said !== expected)
          found["otherwise"]?.push(`${from}, ${name}: ${said}, not ${expected}: ${text.slice(0, 400)}`);
        asked += 1;
      }
      await remove(binding);
      await remove(policy);
      for (const object of objects) if (object.kind !== "CustomResourceDefinition") await remove(object);
    }
    if (FOLDER !== undefined)
      process.stdout.write(
        `${taken} policies taken, ${asked} objects asked about\n${JSON.stringify(found, undefined, 1)}\n`,
      );
    expect(taken).toBeGreaterThan(0);
    if (FOLDER === undefined) expect(found).toEqual({ refused: [], otherwise: [], unasked: [] });
    expect(found["otherwise"]).toEqual([]);
  },
  WITHIN_MS,
);
