// Lists that answer questions: counts with selectors, a part of the fields, and an order, for built-in and custom
// resources.
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const OBJECTS = 120;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const workplace = useWorkplace();
let server: ApiServer;
let maps: string;
const boats = "/apis/lists.example/v1/namespaces/lists/boats";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boats.lists.example" },
  spec: {
    group: "lists.example",
    scope: "Namespaced",
    names: { plural: "boats", singular: "boat", kind: "Boat" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" }, flags: ["--vocabulary=kubernetes"] });
  const { admin } = server;
  maps = await freshNamespace(admin, "lists");
  await inParallel(OBJECTS, 16, async (at) => {
    const name = `map-${`${at}`.padStart(3, "0")}`;
    const labels = { parity: at % 2 === 0 ? "even" : "odd" };
    const data = { rank: `${(at * 7) % OBJECTS}`, text: "t".repeat(500) };
    await expectStatus(201, admin.post(maps, configMap(name, data, { labels })));
  });
  await expectStatus(201, admin.post(DEFINITIONS, definition));
  await eventually("boats are served", async () => (await admin.get(boats)).status === 200);
  for (const [at, length] of [12, 7, 30].entries()) {
    const crew = [{ name: "ada", rank: "captain" }, { name: "bo" }];
    const boat = {
      apiVersion: "lists.example/v1",
      kind: "Boat",
      metadata: { name: `boat-${at}` },
      spec: { length, crew },
    };
    await expectStatus(201, admin.post(boats, boat));
  }
}, 60_000);

const get = (path: string, status = 200): Promise<ApiObject> => expectStatus(status, server.admin.get(path));
const names = ({ items = [] }: ApiObject) => items.map(({ metadata }) => metadata.name);
const refusal = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
  const { status, body } = await server.admin.send(path, { headers, method });
  return `${status} ${body.startsWith("{") ? JSON.parse(body).message : body}`;
};

describe("count=true", () => {
  const odd = "labelSelector=parity%3Dodd";

  test("tells exactly how many selected objects follow each page", async () => {
    const first = await get(`${maps}?${odd}&limit=25&count=true`);
    expect(first.metadata).toMatchObject({ remainingItemCount: OBJECTS / 2 - 25 });
    const second = await get(`${maps}?${odd}&limit=25&count=true&continue=${first.metadata.continue}`);
    expect(second.metadata).toMatchObject({ remainingItemCount: OBJECTS / 2 - 50 });
    const last = await get(`${maps}?${odd}&limit=25&count=true&continue=${second.metadata.continue}`);
    expect(last.metadata).toMatchObject({ remainingItemCount: 0, continue: "" });
  });

  test("with limit=1 is the cheapest count, in tables and in metadata too", async () => {
    const path = `${maps}?${odd}&limit=1&count=true`;
    for (const accept of [
      "application/json;as=Table;v=v1;g=meta.k8s.io",
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    ]) {
      const { metadata } = (await server.admin.send(path, { headers: { accept } })).object();
      expect(metadata).toMatchObject({ remainingItemCount: OBJECTS / 2 - 1 });
    }
  });

  test("is 0 in a whole list; without it, a list with a selector has no count, as in Kubernetes", async () => {
    expect((await get(`${maps}?count=true`)).metadata).toMatchObject({ remainingItemCount: 0 });
    expect((await get(`${maps}?limit=0&count=true`)).metadata).toMatchObject({ remainingItemCount: 0 });
    expect((await get(`${maps}?${odd}&limit=1`)).metadata).not.toHaveProperty("remainingItemCount");
    expect((await get(`${maps}?limit=1`)).metadata).toMatchObject({ remainingItemCount: OBJECTS - 1 });
  });
});

describe("fields", () => {
  test("returns these fields and the identity of each object in a list", async () => {
    const list = await get(`${maps}?fields=.data.rank,.metadata.labels&limit=2&labelSelector=parity%3Dodd`);
    expect(list).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    expect(list.metadata.continue).not.toBe("");
    const metadata = {
      name: "map-001",
      namespace: "lists",
      uid: expect.any(String),
      resourceVersion: expect.any(String),
      labels: { parity: "odd" },
    };
    expect(list.items?.[0]).toEqual({ metadata, data: { rank: "7" } });
    expect(list.items).toHaveLength(2);
  });

  test("returns them in one object, with kind and apiVersion", async () => {
    const { uid, resourceVersion } = (await get(`${maps}/map-003`)).metadata;
    expect(await get(`${maps}/map-003?fields=.data.rank`)).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "map-003", namespace: "lists", uid, resourceVersion },
      data: { rank: "21" },
    });
  });

  test("returns them of custom resources, also in the items of lists", async () => {
    const { items } = await get(`${boats}?fields=.spec.crew[*].rank`);
    expect(items?.[0]).toMatchObject({
      kind: "Boat",
      apiVersion: "lists.example/v1",
      metadata: { name: "boat-0" },
      spec: { crew: [{ rank: "captain" }, {}] },
    });
    expect(items?.[0]).not.toHaveProperty("spec.length");
  });

  test("applies to indented JSON and to YAML", async () => {
    const path = `${boats}/boat-1?fields=.spec.length`;
    const { body: yaml } = await server.admin.send(path, { headers: { accept: "application/yaml" } });
    expect(yaml).toMatch(/^spec:\n {2}length: 7$/m);
    const { body: indented } = await server.admin.get(`${path}&pretty=true`);
    expect(indented).toContain('  "spec": {\n    "length": 7\n  }');
    const { body: list } = await server.admin.get(`${boats}?fields=.spec.length&pretty=true`);
    expect(list).toContain('"length": 30');
    expect(list).not.toContain("crew");
  });

  test("applies to a scale, which is computed", async () => {
    const path = "/apis/apps/v1/namespaces/lists/deployments";
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { replicas: 3, selector: { matchLabels: { a: "b" } }, template };
    await expectStatus(
      201,
      server.admin.post(path, { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec }),
    );
    const scale = await get(`${path}/web/scale?fields=.spec.replicas`);
    expect(scale).toMatchObject({ kind: "Scale", metadata: { name: "web" }, spec: { replicas: 3 } });
    expect(scale).not.toHaveProperty("status");
  });

  const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
  test.each<[string, Record<string, string>, string]>([
    ["?fields=data", {}, '400 fields: "data": unexpected "d" at position 0'],
    ["?fields=.data&watch=1", {}, "400 fields: is understood by get and list, not by watch; remove it"],
    ["?fields=.data", table, "400 fields: cannot be combined with a Table or PartialObjectMetadata"],
    ["?fields=.data", { accept: "application/vnd.kubernetes.protobuf" }, "application/json, application/yaml"],
  ])("%s with %j is refused", async (query, headers, expected) => {
    expect(await refusal(maps + query, headers)).toContain(expected);
  });

  test("is answered in JSON when the client prefers protobuf and accepts JSON", async () => {
    const headers = { accept: "application/vnd.kubernetes.protobuf,application/json" };
    const answer = await server.admin.send(`${maps}/map-000?fields=.data.rank`, { headers });
    expect(answer.headers["content-type"]).toBe("application/json");
  });
});

describe("sortBy", () => {
  test("orders by quantities and numbers, in pages of one revision", async () => {
    const pages: ApiObject[] = [];
    let token = "";
    do {
      pages.push(await get(`${maps}?sortBy=-.data.rank&limit=50&fields=.data.rank&continue=${token}`));
      token = pages.at(-1)?.metadata.continue ?? "";
      await expectStatus(200, server.admin.put(`${maps}/map-011`, configMap("map-011", { rank: `${pages.length}` })));
    } while (token !== "");
    const ranks = pages.flatMap(({ items = [] }) => items.map(({ data }) => Number(data?.["rank"])));
    expect(ranks).toEqual(Array.from({ length: OBJECTS }, (_, at) => OBJECTS - 1 - at));
    expect(pages.map(({ metadata }) => metadata.remainingItemCount)).toEqual([OBJECTS - 50, OBJECTS - 100, undefined]);
    expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
  });

  test("orders custom resources and tables", async () => {
    expect(names(await get(`${boats}?sortBy=.spec.length`))).toEqual(["boat-1", "boat-0", "boat-2"]);
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const { body } = await server.admin.send(`${boats}?sortBy=-.spec.length`, { headers });
    const { rows } = JSON.parse(body) as { rows: { cells: string[] }[] };
    expect(rows.map(({ cells }) => cells[0])).toEqual(["boat-2", "boat-0", "boat-1"]);
  });

  test("refuses the token of another order", async () => {
    const { metadata } = await get(`${maps}?limit=1`);
    expect(await refusal(`${maps}?limit=1&sortBy=.metadata.name&continue=${metadata.continue}`)).toContain(
      "400 invalid continue token: it continues a list without sortBy",
    );
  });
});

describe("a parameter that is nearly one of these", () => {
  test.each([
    ["?Count=true", "400 Count: is not a parameter of this server; write count"],
    ["?field=.data", "400 field: is not a parameter of this server; write fields"],
    ["?sortby=.data", "400 sortby: is not a parameter of this server; write sortBy"],
  ])("%s is refused", async (query, message) => {
    expect(await refusal(maps + query)).toBe(message);
  });

  test("is refused by a deletion, which then deletes nothing", async () => {
    const message = "400 count: is understood by list, not by deletecollection; remove it";
    expect(await refusal(`${maps}?count=true`, {}, "DELETE")).toBe(message);
    expect(names(await get(maps))).toHaveLength(OBJECTS);
  });

  test("is another one: unknown parameters are ignored, as in Kubernetes", async () => {
    expect(names(await get(`${maps}?limit=1&colour=red&fieldManager=x`))).toHaveLength(1);
  });
});
