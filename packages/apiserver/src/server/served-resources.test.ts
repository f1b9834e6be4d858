import { queryObjects } from "node:v8";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { GoneResources, ServerMetrics } from "@orch/observability";
import { Discovery } from "@orch/openapi";
import { createRegistry, type Registry } from "@orch/registry";
import { Negotiation, PathConflictError, RequestContext, ResourceRoutes, readRequestInfo } from "@orch/request";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { ServedResources } from "@orch/served-resources";
import { openStore, type Store } from "@orch/store";
import { DeprecatedRequests } from "../deprecations/deprecated-requests";
import { RequestRecords } from "../pipeline/request-records";
import { cronTabs, versionOf } from "../testing/cron-tabs";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

let store: Store;
let registry: Registry;
let routes: ResourceRoutes;
let resources: ServedResources;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  await registry.ready();
});
afterAll(async () => {
  await registry.close();
  await store.close();
});
beforeEach(() => {
  routes = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  resources = new ServedResources({ registry, routes });
});

/** Number of resources that are installed and removed: each of them would leave at least one thing behind. */
const COMING = 200;
const DEPRECATED = { warning: "w", removedRelease: "" };
const plural = (name: string) => cronTabs(schema, { plural: name });
const of = (resource: string) => ({ group: "stable.example.com", resource });
const pathOf = (name: string) => `stable.example.com/v1/${name}`;

test("a change takes effect atomically, and tables in use stay unchanged", () => {
  let seen: (readonly [boolean, boolean])[] = [];
  routes.onChange(() => {
    seen = [...seen, [routes.at(pathOf("a")) !== undefined, routes.at(pathOf("b")) !== undefined]];
  });
  const [a] = resources.install([plural("a"), plural("b")]);
  expect(seen).toEqual([[true, true]]);
  const found = routes.at(pathOf("a"));
  const before = routes.all();
  const [next] = resources.install([plural("a")]);
  resources.remove([of("b"), of("unknown")]);
  expect(seen).toEqual([
    [true, true],
    [true, true],
    [true, false],
  ]);
  expect(found?.storage).toBe(a);
  expect(routes.at(pathOf("a"))?.storage).toBe(next);
  expect([...before].filter(({ path }) => path === pathOf("b")).length).toBe(1);
  expect(resources.storages()).toEqual([next]);
  resources.remove([of("a")]);
});

test("a version that a definition does not have any more is gone", () => {
  const [v1, v2] = [versionOf(schema, "v1"), versionOf(schema, "v2")];
  resources.install([cronTabs(schema, { versions: [v1, v2], storage: v1 })]);
  expect(routes.servesGroupVersion("stable.example.com", "v2")).toBe(true);
  resources.install([cronTabs(schema)]);
  expect(routes.servesGroupVersion("stable.example.com", "v2")).toBe(false);
  expect(routes.at("stable.example.com/v2/crontabs/status")).toBeUndefined();
  resources.remove([of("crontabs")]);
  expect(routes.size).toBe(0);
});

test("a path that is another resource's is refused, and nothing has changed", () => {
  resources.install([plural("a")]);
  const served = routes.at(pathOf("a"));
  const intruder = { ...plural("a"), group: "other.example.com" };
  expect(() => resources.install([plural("b"), intruder])).toThrow(PathConflictError);
  expect(() => resources.install([plural("c"), { ...plural("c"), group: "other.example.com" }])).toThrow(
    PathConflictError,
  );
  expect(routes.at(pathOf("a"))).toBe(served);
  expect(routes.at(pathOf("b"))).toBeUndefined();
  expect(registry.caches().map(({ definition }) => definition.plural)).toEqual(["a"]);
  resources.remove([of("a")]);
});

test("documents of a group version that nothing has happened to stay the same ones", () => {
  const discovery = new Discovery({
    routes,
    vocabulary,
    release: "1.23",
    serverAddress: () => "a",
    otherPaths: () => [],
  });
  resources.install([plural("a")]);
  const [before, groups] = [discovery.find("/apis/stable.example.com/v1"), discovery.find("/apis")];
  const other = { ...versionOf(schema, "v1"), group: "other.example.com", apiVersion: "other.example.com/v1" };
  resources.install([cronTabs(schema, { group: "other.example.com", versions: [other], storage: other })]);
  expect(discovery.find("/apis/stable.example.com/v1")).toBe(before);
  expect(discovery.find("/apis")).not.toBe(groups);
  resources.install([plural("b")]);
  expect(discovery.find("/apis/stable.example.com/v1")).not.toBe(before);
  resources.remove([of("a"), of("b"), { group: "other.example.com", resource: "crontabs" }]);
  expect(discovery.find("/apis/stable.example.com/v1")).toBeUndefined();
});

test("two hundred resources that come, are asked and go leave nothing behind", async () => {
  const metrics = new ServerMetrics({
    disabled: [],
    process: false,
    release: "1.23",
    showHidden: false,
    warn: () => undefined,
  });
  const records = new RequestRecords(metrics);
  const deprecated = new DeprecatedRequests(metrics, vocabulary);
  const isServed = ({ group, plural }: { readonly group: string; readonly plural: string }) =>
    routes.of({ group, resource: plural }).length > 0;
  const gone = new GoneResources({ metrics, byRoute: [records, deprecated], isServed });
  resources.onRemoved = (definition) => gone.add(definition);
  const discovery = new Discovery({
    routes,
    vocabulary,
    release: "1.23",
    serverAddress: () => "a",
    otherPaths: () => [],
  });
  const negotiation = new Negotiation(schema);
  const ask = (name: string) => {
    const context = new RequestContext(negotiation);
    context.info = readRequestInfo("GET", `/apis/${pathOf(name)}`, routes);
    const { route } = context.info;
    if (route !== undefined)
      deprecated.requested(context, { ...route, deprecation: DEPRECATED }, { userAgent: "a/1", isOwnPage: false });
    records.finished("GET", context, 200, "application/json", 1);
    metrics.gauge("apiserver_storage_objects").set({ resource: `${name}.stable.example.com` }, 1);
    discovery.find("/apis/stable.example.com/v1");
  };
  resources.install([plural("kept")]);
  ask("kept");
  const held = () => ({
    routes: routes.size,
    series: metrics.size,
    paths: discovery.paths().paths,
    deprecated: deprecated.report().length,
    caches: registry.caches().length,
    routeTables: queryObjects(ResourceRoutes, { format: "count" }),
  });
  const before = held();
  for (let at = 0; at < COMING; at += 1) {
    resources.install([plural(`things${at}`)]);
    ask(`things${at}`);
    resources.install([plural(`things${at}`)]);
    resources.remove([of(`things${at}`)]);
  }
  expect(metrics.size).toBeGreaterThan(before.series + COMING);
  const withAll = metrics.size;
  resources.install([plural("back")]);
  ask("back");
  const ofOne = metrics.size - withAll;
  resources.remove([of("back")]);
  resources.install([plural("back")]);
  gone.forget();
  expect(metrics.size).toBe(before.series + ofOne);
  resources.remove([of("back")]);
  gone.forget();
  expect(held()).toEqual(before);
  ask("kept");
  expect(metrics.size).toBe(before.series);
});
