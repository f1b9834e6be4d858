import { expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

let admin: ApiClient;
let server: RunningServer;

useServer((running) => ({ admin, server } = running));

const MERGE = { "content-type": "application/merge-patch+json" };
const merge = (path: string, body: object) => admin.ask("PATCH", path, { headers: MERGE, body });

interface Reported {
  readonly name: string;
  readonly [member: string]: unknown;
}

async function report(query = ""): Promise<readonly Reported[]> {
  const { code, text } = await admin.get(`/debug/definitions${query}`);
  expect(code).toBe(200);
  return (JSON.parse(text) as { definitions: Reported[] }).definitions;
}

const served = async (path: string) => {
  while ((await admin.get(path)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
};

const schema = (storage: string) => {
  const rule = { rule: "self.size <= 10", message: "too large" };
  const spec = { type: "object", properties: { size: { type: "integer" } }, "x-orch-validations": [rule] };
  const openAPIV3Schema = { type: "object", properties: { spec } };
  return ["v1", "v2"].map((name) => version(name, { storage: name === storage, schema: { openAPIV3Schema } }));
};

test("the report lists stored objects by version and the cost of rules for each definition", async () => {
  await admin.post(DEFINITIONS, definition({ versions: schema("v1") }));
  await admin.post(DEFINITIONS, definition({ plural: "gadgets", kind: "Gadget" }));
  await served(WIDGETS);
  for (const name of ["one", "other"]) await admin.post(WIDGETS, widget(name, { spec: { size: 3 } }));
  expect((await admin.post(WIDGETS, widget("large", { spec: { size: 30 } }))).code).toBe(422);

  const [gadgets, widgets] = await report();
  expect(gadgets).toMatchObject({ name: "gadgets.example.com", served: true, instances: 0, bytes: 0, inVersions: {} });
  expect(widgets).toMatchObject({
    ...{ name: "widgets.example.com", group: "example.com", kind: "Widget", scope: "Namespaced", served: true },
    ...{ storageVersion: "v1", storedVersions: ["v1"], instances: 2, inVersions: { v1: 2 }, unusedVersions: [] },
    conversion: { calls: 0, failures: 0, objects: 0, seconds: 0 },
    rules: { objects: 3, cost: expect.any(Number), seconds: expect.any(Number) },
  });
  const { bytes, rules } = widgets as unknown as { readonly bytes: number; readonly rules: { readonly cost: number } };
  expect(rules.cost).toBeGreaterThan(0);
  expect(bytes).toBeGreaterThan(200);

  // Another version is the storage version from now on; existing objects change when they are written again.
  await merge(`${DEFINITIONS}/widgets.example.com`, { spec: { versions: schema("v2") } });
  const only = () => report("?definition=widgets.example.com");
  while ((await only())[0]?.["storageVersion"] !== "v2") await new Promise((resolve) => setTimeout(resolve, 10));
  const touch = (name: string) => merge(`${WIDGETS}/${name}`, { spec: { size: 4 } });
  await touch("one");
  expect(await only()).toMatchObject([
    { inVersions: { v1: 1, v2: 1 }, storedVersions: ["v1", "v2"], unusedVersions: [] },
  ]);
  await touch("other");
  expect(await only()).toMatchObject([{ inVersions: { v2: 2 }, unusedVersions: ["v1"] }]);
});

test("it is for those who may read the path", async () => {
  const jane = new ApiClient(server, server.issueClient({ name: "jane" }));
  expect((await jane.get("/debug/definitions")).code).toBe(403);
  jane.close();
  expect((await admin.post("/debug/definitions", {})).code).toBe(405);
  expect((await report("?definition=unknown.example.com")).length).toBe(0);
});
