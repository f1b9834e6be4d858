// Owners of a kind whose versions are added and removed: the garbage collector uses a served version.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, Client } from "@orch/client";
import { chosenControllers, SharedViews } from "@orch/controllers";
import type { JsonObject } from "@orch/schema";
import { ManualClock } from "@orch/testing";
import { eventually } from "./harness/eventually";
import { adminConnection } from "./harness/in-process";

const GROUP = "example.com";
/** Discovery interval of the garbage collector. */
const LOOK_AGAIN_MS = 30_000;
const rateLimit = { perSecond: 0, burst: 0 };

let server: RunningServer;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = new Client({ connection: adminConnection(server), vocabulary: "orch", program: "test", rateLimit });
});
afterAll(async () => {
  client.close();
  await server.stop();
});

const widgets = (version: string) =>
  client
    .resource<JsonObject>({ group: GROUP, version, resource: "widgets", kind: "Widget", namespaced: true })
    .namespace("default");

function definition(servesV2: boolean): JsonObject {
  const schema = { openAPIV3Schema: { type: "object" } };
  const versions = [
    { name: "v2", served: servesV2, storage: false, schema },
    { name: "v1", served: true, storage: true, schema },
  ];
  const names = { plural: "widgets", kind: "Widget" };
  return { metadata: { name: `widgets.${GROUP}` }, spec: { group: GROUP, scope: "Namespaced", names, versions } };
}

test("dependents follow their owner when the version that was watched is served no longer", async () => {
  const definitions = client.resource<JsonObject>({
    ...{ group: "apiextensions.orch.io", version: "v1", resource: "customresourcedefinitions" },
    ...{ kind: "CustomResourceDefinition", namespaced: false },
  });
  const maps = client.resource(builtInTypes().configMaps).namespace("default");
  await definitions.create(definition(true));
  const owner = await widgets("v2").create({
    apiVersion: `${GROUP}/v2`,
    kind: "Widget",
    metadata: { name: "owner" },
  });
  const { uid } = owner["metadata"] as { readonly uid: string };
  const reference = { apiVersion: `${GROUP}/v1`, kind: "Widget", name: "owner", uid };
  await maps.create({ metadata: { name: "dependent", ownerReferences: [reference] } });

  const clock = new ManualClock(Date.now());
  const connection = adminConnection(server);
  const own = new Client({ connection, vocabulary: "orch", program: "collector", clock, rateLimit });
  const stop = new AbortController();
  const [collector] = chosenControllers(["garbagecollector"]);
  const events = { record() {} } as never;
  const views = new SharedViews(own);
  views.start(stop.signal);
  const context = { client: own, release: "1.23", isOn: () => false, events, views };
  const options = { "concurrent-gc-syncs": 1, "enable-garbage-collector": true };
  const done = collector?.run(context, options, stop.signal);
  const lost = [{ ...reference, name: "none", uid: "no-such-uid" }];
  await maps.create({ metadata: { name: "lost", ownerReferences: lost } });
  const isGone = async (name: string) => (await maps.list()).items.every(({ metadata }) => metadata?.name !== name);
  await eventually("it collects", () => isGone("lost"));

  await definitions.patch(`widgets.${GROUP}`, "merge", { spec: definition(false)["spec"] as JsonObject });
  await widgets("v1").delete("owner");
  await eventually("the dependent is gone", () => {
    clock.advance(LOOK_AGAIN_MS);
    return isGone("dependent");
  });
  expect((await maps.list()).items).toEqual([]);
  stop.abort();
  await done;
  own.close();
});
