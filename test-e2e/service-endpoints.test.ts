// The endpoint controllers, each under its own service account, against a server in this process.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, type ResourceType } from "@orch/client";
import { chosenControllers, runControllers } from "@orch/controllers";
import { silentLog } from "@orch/platform";
import { type coreV1, type discoveryV1, vocabularyOf } from "@orch/schema";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";

const types = builtInTypes();
const { labels, labelValues, users } = vocabularyOf("orch");
const NAMES = ["endpoint", "endpointslice", "endpointslicemirroring"];
/** The topology of an endpoint in one line. */
const PLACE = "n1 z1";

const stop = new AbortController();
let server: RunningServer;
let client: Client;
let running: Promise<void>;

beforeAll(async () => {
  server = await startServer();
  client = adminClient(server);
  await client.resource(types.nodes).create({ metadata: { name: "n1", labels: { [labels.topologyZone]: "z1" } } });
  const { certificate, key } = server.issueClient({ name: users.controllerManager });
  const text = (value: string) => ({ kind: "text", text: value }) as const;
  const credentials = { certificate: { certificate: text(certificate), key: text(key) } };
  const connection = { ...adminConnection(server), credentials };
  const controllers = chosenControllers(NAMES);
  const options = { "max-endpoints-per-slice": 10 };
  running = runControllers(
    { connection, vocabulary: "orch", log: silentLog, controllers, options, usesAccounts: true },
    stop.signal,
  );
});
afterAll(async () => {
  stop.abort();
  await running;
  client.close();
  await server.stop();
});

const at = <T extends object>(type: ResourceType<T>) => client.resource(type).namespace("default");

async function pod(name: string, ip: string, parts: { readonly app?: string; readonly nodeName?: string } = {}) {
  const { app = "web", nodeName = "n1" } = parts;
  const containers = [{ name: "c", image: "i", ports: [{ name: "http", containerPort: 8080 }] }];
  await at(types.pods).create({ metadata: { name, labels: { app } }, spec: { nodeName, containers } });
  await ready(name, true, ip);
}

const ready = (name: string, isReady: boolean, podIP?: string) =>
  at(types.pods).patch(
    name,
    "strategic",
    {
      status: {
        phase: "Running",
        ...(podIP && { podIP, podIPs: [{ ip: podIP }] }),
        conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
      },
    },
    { subresource: "status" },
  );

const service = (name: string, spec: coreV1.ServiceSpec) =>
  at(types.services).create({ metadata: { name }, spec: { ports: [{ port: 80, targetPort: "http" }], ...spec } });

async function addresses(name: string) {
  const found = await at(types.endpoints).find(name);
  return found?.subsets?.map((subset) => [
    subset.addresses?.map(({ ip }) => ip).join() ?? "",
    subset.notReadyAddresses?.map(({ ip }) => ip).join() ?? "",
    subset.ports?.map(({ port }) => port).join(),
  ]);
}

const slicesOf = async (name: string): Promise<readonly discoveryV1.EndpointSlice[]> =>
  (await at(types.endpointSlices).list({ labelSelector: `${labels.serviceName}=${name}` })).items;

async function endpoints(name: string) {
  const slices = await slicesOf(name);
  return slices.flatMap((slice) =>
    (slice.endpoints ?? []).map(
      ({ addresses, conditions, nodeName, zone }) => `${addresses} ${conditions?.ready} ${nodeName} ${zone}`,
    ),
  );
}

const reach = (what: string, ask: () => Promise<unknown>, expected: unknown) =>
  eventually(what, async () => JSON.stringify(await ask()) === JSON.stringify(expected));

test("a service has the addresses of its pods, in an object of its name and in a slice, as they come, change and go", async () => {
  await service("web", { selector: { app: "web" } });
  await reach("a slice says that there are none", async () => (await slicesOf("web")).length, 1);
  await pod("one", "10.0.0.1");
  await pod("two", "10.0.0.2");
  await reach("both are listed", () => addresses("web"), [["10.0.0.1,10.0.0.2", "", "8080"]]);
  await reach("and sliced", () => endpoints("web"), [`10.0.0.1 true ${PLACE}`, `10.0.0.2 true ${PLACE}`]);
  await ready("one", false);
  await reach("one is not ready", () => addresses("web"), [["10.0.0.2", "10.0.0.1", "8080"]]);
  await reach("nor in its slice", () => endpoints("web"), [`10.0.0.1 false ${PLACE}`, `10.0.0.2 true ${PLACE}`]);
  await at(types.pods).patch("two", "merge", { metadata: { labels: { app: "other" } } });
  await at(types.pods).delete("one", { gracePeriodSeconds: 0 });
  await reach("none is left", () => addresses("web"), undefined);
  await reach("in any slice", () => endpoints("web"), []);
  const [slice, ...others] = await slicesOf("web");
  expect([slice?.metadata?.ownerReferences?.[0]?.kind, others.length]).toEqual(["Service", 0]);
});

test("an Endpoints object is deleted with its service and recreated after a deletion", async () => {
  await service("brief", { selector: { app: "nobody" } });
  await reach("it is there", async () => (await at(types.endpoints).find("brief")) !== undefined, true);
  const before = await at(types.endpoints).get("brief");
  await at(types.endpoints).delete("brief");
  await eventually("it is back", async () => {
    const now = await at(types.endpoints).find("brief");
    return now !== undefined && now.metadata?.uid !== before.metadata?.uid;
  });
  await at(types.services).delete("brief");
  await reach("it is gone", async () => (await at(types.endpoints).find("brief")) === undefined, true);
});

test("foreign changes of a slice are reverted", async () => {
  await pod("three", "10.0.0.3", { app: "mended" });
  await service("mended", { selector: { app: "mended" } });
  const wanted = [`10.0.0.3 true ${PLACE}`];
  await reach("it is sliced", () => endpoints("mended"), wanted);
  const [slice] = await slicesOf("mended");
  const name = slice?.metadata?.name ?? "";
  await at(types.endpointSlices).patch(name, "merge", { endpoints: [] });
  await reach("it is sliced again", () => endpoints("mended"), wanted);
  await at(types.endpointSlices).delete(name);
  await reach("it is sliced anew", () => endpoints("mended"), wanted);
});

test("a pod on an unknown node is added once the node exists", async () => {
  await pod("lost", "10.0.0.4", { app: "lost", nodeName: "n2" });
  await service("lost", { selector: { app: "lost" } });
  await reach("it is listed", () => addresses("lost"), [["10.0.0.4", "", "8080"]]);
  await reach("a slice says that there are none", async () => (await slicesOf("lost")).length, 1);
  expect(await endpoints("lost")).toEqual([]);
  await client.resource(types.nodes).create({ metadata: { name: "n2" } });
  await reach("it is sliced", () => endpoints("lost"), ["10.0.0.4 true n2 undefined"]);
});

test("Endpoints of a service without a selector are mirrored until it has one or disables mirroring", async () => {
  await service("db", { ports: [{ port: 5432 }] });
  const list = (ip: string, metadata: object = {}) => ({
    metadata: { name: "db", ...metadata },
    subsets: [{ addresses: [{ ip }], ports: [{ port: 5432 }] }],
  });
  await at(types.endpoints).create(list("10.1.0.1"));
  await reach("it is mirrored", () => endpoints("db"), ["10.1.0.1 true undefined undefined"]);
  const [slice] = await slicesOf("db");
  expect(slice?.metadata?.labels?.[labels.endpointsliceManagedBy]).toBe(labelValues.endpointslicemirroringController);
  await at(types.endpoints).update(list("10.1.0.2"));
  await reach("the mirror follows", () => endpoints("db"), ["10.1.0.2 true undefined undefined"]);
  await at(types.endpoints).update(list("10.1.0.2", { labels: { [labels.endpointsliceSkipMirror]: "true" } }));
  await reach("it is not mirrored", async () => (await slicesOf("db")).length, 0);
  await at(types.endpoints).update(list("10.1.0.3"));
  await reach("it is mirrored again", () => endpoints("db"), ["10.1.0.3 true undefined undefined"]);
  await pod("db", "10.0.0.5", { app: "db" });
  await at(types.services).patch("db", "merge", { spec: { selector: { app: "db" } } });
  await reach("its pods take over", () => endpoints("db"), [`10.0.0.5 true ${PLACE}`]);
});

test("more endpoints than a slice has room for are in several", async () => {
  await Promise.all(Array.from({ length: 12 }, (_, at) => pod(`many-${at}`, `10.2.0.${at}`, { app: "many" })));
  await service("many", { selector: { app: "many" } });
  const sizes = async () => (await slicesOf("many")).map((slice) => slice.endpoints?.length ?? 0).sort();
  await reach("all are sliced", sizes, [10, 2]);
});
