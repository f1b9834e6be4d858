// Custom resource definitions of other projects: all YAML files under the folder that FIELD_DEFINITIONS names. The
// repository contains none of them; without the folder a definition of this test is used.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { instanceOf } from "../testing/schema-instance";
import { useServer } from "../testing/use-server";

const FOLDER = process.env["FIELD_DEFINITIONS"];
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const AT_ONCE = 6;
/** In characters. Larger definitions take seconds to parse as YAML and have no further features. */
const LARGEST = 512 * 1024;
/** A bound against hanging, for large folders. */
const WITHIN_MS = 600_000;

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: object };
    }[];
  };
}

let admin: ApiClient;

/** Common features: a nested schema, a printer column, subresources and preserved unknown fields. */
const OWN = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: orchards.fruit.example
spec:
  group: fruit.example
  scope: Namespaced
  names: { plural: orchards, singular: orchard, kind: Orchard, shortNames: [orc], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      additionalPrinterColumns:
        - { name: Trees, type: integer, jsonPath: .spec.trees }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [trees, rows]
              properties:
                trees: { type: integer, minimum: 1 }
                water: { x-kubernetes-int-or-string: true }
                rows:
                  type: array
                  minItems: 1
                  items: { type: object, required: [kind], properties: { kind: { type: string, enum: [apple, pear] } } }
                notes: { type: object, x-kubernetes-preserve-unknown-fields: true }
            status: { type: object, properties: { ripe: { type: boolean } } }
`;

test(
  "definitions of other projects are accepted unchanged, and their objects created, shown, applied and deleted",
  async () => {
    const texts: readonly (readonly [string, string])[] =
      FOLDER === undefined ? [["orchards.fruit.example", OWN]] : [...definitionTexts(FOLDER)];
    const refused: string[] = [];
    const wrong: string[] = [];
    let created = 0;
    await runInSlices(texts, async ([name, text]) => {
      const headers = { "content-type": "application/yaml" };
      const { code, json } = await admin.ask("POST", DEFINITIONS, { body: text, headers });
      if (code !== 201) refused.push(`${name}: ${code} ${JSON.stringify(json.message)}`);
      else {
        const done = await useOf(json as unknown as Definition);
        if (done === "created") created += 1;
        else if (done !== "refused") wrong.push(`${name}: ${done}`);
      }
    });
    process.stdout.write(
      `definitions of other projects: ${texts.length - refused.length} accepted, of ${created} an object\n`,
    );
    expect(refused).toEqual([]);
    expect(wrong).toEqual([]);
    // The object is guessed from the schema.
    expect(created).toBeGreaterThan(texts.length / 2);
  },
  WITHIN_MS,
);

useServer((running) => ({ admin } = running), { vocabulary: "kubernetes" });

/** @returns "refused" when no object could be made for the schema; otherwise the faults of the answers */
async function useOf({ metadata, spec }: Definition): Promise<string> {
  const { group, names, scope, versions } = spec;
  const version = versions.find((each) => each.storage && each.served) ?? versions.find((each) => each.served);
  if (version === undefined) return "refused";
  const place = scope === "Namespaced" ? "namespaces/default/" : "";
  const path = `/apis/${group}/${version.name}/${place}${names.plural}`;
  while ((await admin.get(path)).code === 404) {
    if (await isConflicting(metadata.name)) return "refused";
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const object = {
    ...(instanceOf(version.schema?.openAPIV3Schema ?? {}) as object),
    apiVersion: `${group}/${version.name}`,
    kind: names.kind,
    metadata: { name: "one" },
  };
  const made = await admin.post(path, object);
  if (made.code === 422 || made.code === 400)
    return (made.json.details ?? undefined) === undefined ? "refused without a place" : "refused";
  if (made.code !== 201) return `create ${made.code}`;
  const table = await admin.get(path, { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } });
  const { rows = [] } = table.json as unknown as { readonly rows?: readonly unknown[] };
  if (table.code !== 200 || rows.length !== 1) return `table ${table.code}`;
  const headers = { "content-type": "application/apply-patch+yaml" };
  const apply = () => admin.ask("PATCH", `${path}/one?fieldManager=tests&force=true`, { body: object, headers });
  const [first, second] = [await apply(), await apply()];
  if (first.code !== 200 || second.code !== 200) return `apply ${first.code} ${second.code} ${first.json.message}`;
  if (first.json.metadata.resourceVersion !== second.json.metadata.resourceVersion)
    return "the second apply has changed something";
  const gone = await admin.delete(`${path}/one`);
  if (gone.code !== 200) return `delete ${gone.code}`;
  const deleted = await admin.delete(`${DEFINITIONS}/${metadata.name}`);
  return deleted.code === 200 ? "created" : `delete of the definition ${deleted.code}`;
}

/** Definitions of two projects may claim the same names. */
async function isConflicting(name: string): Promise<boolean> {
  const { status } = (await admin.get(`${DEFINITIONS}/${name}`)).json as unknown as {
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  };
  return status.conditions?.some(({ type, status: is }) => type === "NamesAccepted" && is === "False") ?? false;
}

/** Definitions by name, the first of each name. Skips templates and definitions of older API versions. */
function definitionTexts(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.ya?ml$/.test(entry.name)) continue;
    for (const text of readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8").split(/^---.*$/m)) {
      const [, name] = /^metadata:\n(?: {2,}.*\n)*? {2}name: ["']?([a-z0-9.-]+)/m.exec(text) ?? [];
      const isOne =
        text.length <= LARGEST &&
        /^ {2}versions:/m.test(text) &&
        /^kind: CustomResourceDefinition\s*$/m.test(text) &&
        /^apiVersion: apiextensions\.k8s\.io\/v1\s*$/m.test(text);
      if (isOne && name !== undefined && !/^\s*\{\{/m.test(text) && !found.has(name)) found.set(name, text);
    }
  }
  return found;
}

async function runInSlices<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
