import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import SwaggerParser from "@apidevtools/swagger-parser";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { compareReleases } from "@orch/machinery";
import { ResourceRoutes } from "@orch/request";
import { type JsonObject, type JsonValue, loadSchema, vocabularyOf } from "@orch/schema";
import protobuf from "protobufjs";
import {
  allRoutes,
  inside,
  operationsIn,
  type PublishedDocument,
  parsed,
  publishedDocuments,
} from "../testing/published-documents";

const vocabulary = vocabularyOf("kubernetes");
const schema = loadSchema(vocabulary);
const release = "1.23";
const info = { title: "An API", version: "v1.23.0" };

const routes = allRoutes(schema, release);
let documents: Awaited<ReturnType<typeof publishedDocuments>>;
let version2: JsonObject;
let version3: ReadonlyMap<string, JsonObject>;

beforeAll(async () => {
  documents = await publishedDocuments({ schema, release, info, routes });
  version2 = parsed(documents.version2);
  version3 = new Map([...documents.version3.byPath].map(([path, document]) => [path, parsed(document)]));
});

function references(value: JsonValue, found: Set<string>): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  if (!Array.isArray(value) && typeof value["$ref"] === "string") found.add(value["$ref"]);
  for (const part of Array.isArray(value) ? value : Object.values(value)) references(part, found);
  return found;
}

const GROUP_VERSION_KIND = vocabulary.schemaExtensions.groupVersionKind;

test("every kind that is served, and every list of one, is found by its group, version and kind", () => {
  const models = Object.values(version2["definitions"] as JsonObject);
  const marks = models.flatMap((model) => (inside(model, GROUP_VERSION_KIND) as JsonObject[] | undefined) ?? []);
  const found = new Set(marks.map((mark) => `${mark["group"]}/${mark["version"]}/${mark["kind"]}`));
  const served = routes.flatMap(({ definition, version, verbs }) => {
    const kinds = verbs.has("list") ? [version.kind, definition.listKind] : [version.kind];
    return kinds.map((kind) => `${version.group}/${version.version}/${kind}`);
  });
  expect(served.filter((kind) => !found.has(kind))).toEqual([]);
  expect(found.size).toBe(marks.length);
});

test("everything that is shown is described", () => {
  for (const [name, model] of Object.entries(version2["definitions"] as JsonObject)) {
    const fields = Object.entries((inside(model, "properties") ?? {}) as JsonObject);
    const undescribed = [["", model] as const, ...fields].filter(
      ([, shown]) => inside(shown, "description") === undefined,
    );
    expect([name, undescribed.map(([field]) => field)]).toEqual([name, []]);
  }
});

describe("models say how their fields look and merge", () => {
  const model = (name: string) => inside(version2, "definitions", `io.k8s.api.${name}`, "properties");

  test("lists by keys, with the patch strategy", () =>
    expect(inside(model("core.v1.PodSpec"), "volumes")).toMatchObject({
      type: "array",
      items: { $ref: "#/definitions/io.k8s.api.core.v1.Volume" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-strategy": "merge,retainKeys",
      "x-kubernetes-patch-merge-key": "name",
    }));

  test("values of a closed list, defaults, and atomic maps", () => {
    expect(inside(model("core.v1.ServicePort"), "protocol")).toMatchObject({
      enum: ["SCTP", "TCP", "UDP"],
      default: "TCP",
    });
    expect(inside(model("core.v1.PodSpec"), "nodeSelector")).toMatchObject({ "x-kubernetes-map-type": "atomic" });
  });

  test("types of their own kind", () => {
    const shapes = (name: string) => inside(version2, "definitions", `io.k8s.apimachinery.pkg.${name}`);
    expect(shapes("api.resource.Quantity")).toMatchObject({ type: "string" });
    expect(shapes("apis.meta.v1.Time")).toMatchObject({ type: "string", format: "date-time" });
    expect(shapes("util.intstr.IntOrString")).toMatchObject({
      format: "int-or-string",
      "x-kubernetes-int-or-string": true,
    });
    expect(shapes("runtime.RawExtension")).toMatchObject({ type: "object" });
  });

  test("in version 3 nothing stands beside a reference", () => {
    const schemas = inside(version3.get("apis/apps/v1"), "components", "schemas") as JsonObject;
    expect(inside(schemas["io.k8s.api.apps.v1.DeploymentSpec"], "properties", "strategy")).toMatchObject({
      "x-kubernetes-patch-strategy": "retainKeys",
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy" }],
    });
  });
});

describe.each([
  ["orch", "1.15"],
  ["kubernetes", "1.26"],
] as const)("in the vocabulary %s, release %s", (name, of) => {
  const served = loadSchema(vocabularyOf(name));
  let made: Awaited<ReturnType<typeof publishedDocuments>>;

  beforeAll(async () => {
    made = await publishedDocuments({ schema: served, release: of, info, routes: allRoutes(served, of) });
  });

  test.each(["version 2", "api/v1", "apis", "apis/apps/v1"])("%s is a valid document", async (path) => {
    const document = path === "version 2" ? made.version2 : made.version3.byPath.get(path);
    // The parser resolves references in place.
    await SwaggerParser.validate(parsed(document as PublishedDocument) as never);
  });

  test("every reference leads somewhere, and no two operations have one name", () => {
    for (const document of [made.version2, ...made.version3.byPath.values()].map(parsed)) {
      const lost = [...references(document, new Set())].filter(
        (reference) => inside(document, ...reference.slice(2).split("/")) === undefined,
      );
      expect(lost).toEqual([]);
      const ids = [...operationsIn(document).values()].map((operation) => operation["operationId"]);
      expect(ids.length).toBe(new Set(ids).size);
    }
  });

  test("resources newer than the release or removed before it are not shown", () => {
    const prefix = name === "orch" ? "io.orch" : "io.k8s";
    const models = parsed(made.version2)["definitions"] as JsonObject;
    const field = (model: string, field: string) =>
      inside(models[`${prefix}.${model}`], "properties", field) !== undefined;
    const newer = (release: string) => compareReleases(of, release) >= 0;
    expect({
      ordinals: field("api.apps.v1.StatefulSetSpec", "ordinals"),
      podOS: field("api.core.v1.PodSpec", "os"),
      podResources: field("api.core.v1.PodSpec", "resources"),
      clusterName: field("apimachinery.pkg.apis.meta.v1.ObjectMeta", "clusterName"),
      maxSurge: field("api.apps.v1.RollingUpdateDaemonSet", "maxSurge"),
      ofNewField: models[`${prefix}.api.core.v1.PodOS`] !== undefined,
    }).toEqual({
      ordinals: newer("1.26"),
      podOS: newer("1.23"),
      podResources: false,
      clusterName: !newer("1.25"),
      maxSurge: newer("1.21"),
      ofNewField: newer("1.23"),
    });
  });
});

describe("the protobuf form says the same", () => {
  const messages = (version: string) => {
    const text = readFileSync(join(__dirname, `../../../../proto/openapi/${version}.proto`), "utf8");
    return protobuf.parse(text, { keepCase: true }).root.lookupType(`openapi.${version}.Document`);
  };
  type Named = { readonly name: string; readonly value: JsonValue };
  const named = (members: JsonValue | undefined) =>
    new Map((members as unknown as Named[]).map(({ name, value }) => [name, value]));

  test("in version 2", async () => {
    const type = messages("v2");
    const document = type.toObject(type.decode(await (await documents.version2.protobuf()).plain())) as JsonObject;
    expect(document).toMatchObject({ swagger: "2.0", info });
    const models = named(inside(document, "definitions", "members"));
    expect([...models.keys()]).toEqual(Object.keys(version2["definitions"] as JsonObject));
    const container = models.get("io.k8s.api.core.v1.Container");
    const properties = named(inside(container, "properties", "members"));
    expect(properties.get("ports")).toMatchObject({
      type: { items: ["array"] },
      items: { items: [{ ref: "#/definitions/io.k8s.api.core.v1.ContainerPort" }] },
      extensions: expect.arrayContaining([
        { name: "x-kubernetes-list-map-keys", value: { yaml: '["containerPort","protocol"]' } },
      ]),
    });
    const paths = named(inside(document, "paths", "members"));
    expect([...paths.keys()]).toEqual(Object.keys(version2["paths"] as JsonObject));
    expect(inside(paths.get("/api/v1/nodes/{name}"), "patch", "parameters")).toEqual(
      expect.arrayContaining([{ parameter: { nonBody: { query: expect.objectContaining({ name: "dryRun" }) } } }]),
    );
  });

  test("in version 3", async () => {
    const type = messages("v3");
    const content = await documents.version3.byPath.get("apis/apps/v1")?.protobuf();
    const bytes = (await content?.plain()) ?? Buffer.alloc(0);
    const document = type.toObject(type.decode(bytes)) as JsonObject;
    const json = version3.get("apis/apps/v1");
    const schemas = named(inside(document, "components", "schemas", "members"));
    expect([...schemas.keys()]).toEqual(Object.keys(inside(json, "components", "schemas") as JsonObject));
    expect(schemas.get("io.k8s.api.apps.v1.Deployment")).toMatchObject({ schema: { type: "object" } });
    expect(named(inside(document, "paths", "members")).size).toBe(Object.keys(json?.["paths"] as JsonObject).length);
  });
});

test("equal contents are equal bytes, in whatever order resources come", async () => {
  const few = routes.filter(({ version }) => version.group === "apps");
  const [one, other] = [
    await publishedDocuments({ schema, release, info, routes: few }),
    await publishedDocuments({ schema, release, info, routes: [...few].reverse() }),
  ];
  expect(other.version2.json.hash).toBe(one.version2.json.hash);
  expect(other.version3.index.hash).toBe(one.version3.index.hash);
  expect(gunzipSync(await other.version2.json.gzipped()).equals(await one.version2.json.plain())).toBe(true);
});

test("the product's own vocabulary names its models and marks", async () => {
  const own = loadSchema(vocabularyOf("orch"));
  const served = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  const definitions = builtInResources(own.vocabulary, own).filter(({ plural }) => plural === "deployments");
  const answer = async () => undefined as never;
  served.change({ add: definitions.map((definition) => ({ kind: "virtual", definition, answer })) });
  const made = await publishedDocuments({ schema: own, release, info, routes: [...served.all()] });
  const document = parsed(made.version2);
  expect(inside(document, "definitions", "io.orch.api.apps.v1.Deployment", "x-orch-group-version-kind")).toEqual([
    { group: "apps", version: "v1", kind: "Deployment" },
  ]);
  expect(JSON.stringify(document)).not.toMatch(/k8s|kubernetes/i);
});

test("nothing is made any more once making it was given up", async () => {
  const stopping = new AbortController();
  const made = publishedDocuments({ schema, release, info, routes }, stopping.signal);
  stopping.abort(new Error("given up"));
  await expect(made).rejects.toThrow("given up");
});
