// Controllers without nodes: disruption budgets, finished jobs and orphaned pods. Real controllers against a server in
// this process, with the test's clock.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import {
  builtInTypes,
  type Client,
  type EventSink,
  type RecordedEvent,
  type ResourceType,
  silentLog,
} from "@orch/client";
import { EVERY_CONTROLLER, runControllers, SharedViews } from "@orch/controllers";
import { isCode, metaOf } from "@orch/machinery";
import type { coreV1, JsonObject, policyV1 } from "@orch/schema";
import { ManualClock } from "@orch/testing";
import { eventually, sleep } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";

const types = builtInTypes();
const BUDGETS: ResourceType<policyV1.PodDisruptionBudget> = {
  ...{
    group: "policy",
    version: "v1",
    resource: "poddisruptionbudgets",
    kind: "PodDisruptionBudget",
    namespaced: true,
  },
};
const STRETCHES = {
  group: "example.com",
  version: "v1",
  resource: "stretches",
  kind: "Stretch",
  namespaced: true,
} as const;
const STEP_MS = 20;
/** Step size for waits of minutes. */
const LONG_STEP_MS = 2_000;

const clock = new ManualClock(Date.now());
const stop = new AbortController();
const recorded: RecordedEvent[] = [];
const events: EventSink = { record: (event) => void recorded.push(event) };
const options = { "concurrent-ttl-after-finished-syncs": 5, "terminated-pod-gc-threshold": 3 };
let server: RunningServer;
let client: Client;
let fromControllers: Client;
let done: Promise<unknown>;

const RELEASE = "1.23";

beforeAll(async () => {
  server = await startServer({ flags: { "emulated-release": RELEASE } });
  client = adminClient(server);
  fromControllers = adminClient(server, { clock });
  const views = new SharedViews(fromControllers);
  views.start(stop.signal);
  const names = ["disruption", "ttl-after-finished", "podgc", "clusterrole-aggregation"];
  const controllers = EVERY_CONTROLLER.filter(({ name }) => names.includes(name));
  const context = { client: fromControllers, release: RELEASE, isOn: () => false, events, views };
  done = Promise.all(controllers.map((controller) => controller.run(context, options, stop.signal)));
  await client.resource(types.customResourceDefinitions).create(STRETCH_DEFINITION as never);
});
afterAll(async () => {
  stop.abort();
  await done;
  fromControllers.close();
  client.close();
  await server.stop();
});

/** Advances the controllers' clock until the answer arrives. */
const soon = <Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
  stepMs = STEP_MS,
): Promise<Answer> =>
  eventually(what, () => {
    clock.advance(stepMs);
    return ask();
  });

/** Advances the clock in steps, each shorter than a request timeout. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    clock.advance(Math.min(left, 10) * 1_000);
    await sleep(5);
  }
}

async function namespace(name: string) {
  await client.resource(types.namespaces).create({ metadata: { name } });
  return <T extends object>(type: ResourceType<T>) => client.resource(type).namespace(name);
}
type In = Awaited<ReturnType<typeof namespace>>;

const TEMPLATE = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const workload = (name: string, replicas: number, metadata: object = {}) =>
  ({
    metadata: { name, ...metadata },
    spec: { replicas, selector: { matchLabels: { app: "web" } }, template: TEMPLATE },
  }) as never;

const controlledBy = (apiVersion: string, kind: string, object: object) => {
  const { name, uid } = metaOf(object as JsonObject);
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] };
};

interface PodState {
  readonly phase?: string;
  readonly nodeName?: string;
  readonly ready?: boolean;
  readonly metadata?: object;
}

async function pod(at: In, name: string, { phase = "Running", nodeName, ready = false, metadata }: PodState = {}) {
  const spec = { ...TEMPLATE.spec, ...(nodeName && { nodeName }) };
  await at(types.pods).create({ metadata: { name, labels: { app: "web" }, ...metadata }, spec } as never);
  const conditions = ready ? [{ type: "Ready", status: "True" }] : [];
  await at(types.pods).patch(name, "strategic", { status: { phase, conditions } }, { subresource: "status" });
}

async function pods(at: In, count: number, metadata: object): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => pod(at, name, { ready: true, metadata })));
  return names;
}

const budget = (name: string, spec: object) =>
  ({ metadata: { name }, spec: { selector: { matchLabels: { app: "web" } }, ...spec } }) as never;

interface Said {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
}

const saying = async (at: In, name: string, counts: Said, stepMs = STEP_MS) =>
  soon(
    `${name} says ${JSON.stringify(counts)}`,
    async () => {
      const { status } = await at(BUDGETS).get(name);
      return Object.entries(counts).every(([key, value]) => status?.[key as keyof Said] === value) && status;
    },
    stepMs,
  );

describe("a disruption budget", () => {
  test("says what may go of a deployment's pods, and follows what is wanted and what is there", async () => {
    const at = await namespace("deployed");
    const deployment = await at(types.deployments).create(workload("web", 10));
    const above = controlledBy("apps/v1", "Deployment", deployment);
    const set = await at(types.replicaSets).create(workload("web-1", 4, above));
    await pods(at, 4, controlledBy("apps/v1", "ReplicaSet", set));
    await at(BUDGETS).create(budget("share", { maxUnavailable: "70%" }));
    await at(BUDGETS).create(budget("number", { minAvailable: 3 }));
    expect(
      await saying(at, "share", { expectedPods: 10, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 }),
    ).toEqual({
      observedGeneration: 1,
      expectedPods: 10,
      desiredHealthy: 3,
      currentHealthy: 4,
      disruptionsAllowed: 1,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "True",
          observedGeneration: 1,
          reason: "SufficientPods",
          message: "",
          lastTransitionTime: expect.any(String),
        },
      ],
    });
    await saying(at, "number", { expectedPods: 4, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 });
    await at(types.deployments).patch("web", "merge", { spec: { replicas: 4 } });
    await saying(at, "share", { expectedPods: 4, desiredHealthy: 1, currentHealthy: 4, disruptionsAllowed: 3 });
    await at(types.pods).patch("p0", "merge", { metadata: { labels: { app: "other" } } });
    await saying(at, "number", { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 });
    await at(BUDGETS).patch("number", "merge", { spec: { minAvailable: 1 } });
    expect(
      await saying(at, "number", { expectedPods: 3, desiredHealthy: 1, currentHealthy: 3, disruptionsAllowed: 2 }),
    ).toMatchObject({ observedGeneration: 2 });
  });

  test("asks objects of any kind for their scale, and allows nothing where there is none", async () => {
    const at = await namespace("stretched");
    const stretch = await soon("the kind is served", () =>
      at<JsonObject>(STRETCHES)
        .create({ metadata: { name: "long" }, spec: { replicas: 5 } })
        .catch((error: unknown) => {
          if (isCode(error, 404)) return undefined;
          throw error;
        }),
    );
    await pods(at, 4, controlledBy("example.com/v1", "Stretch", stretch));
    await at(BUDGETS).create(budget("one", { maxUnavailable: 2 }));
    await saying(at, "one", { expectedPods: 5, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 });
    const map = await at(types.configMaps).create({ metadata: { name: "map" } });
    await pod(at, "odd", { ready: true, metadata: controlledBy("v1", "ConfigMap", map) });
    expect(
      await saying(at, "one", { expectedPods: 5, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 0 }),
    ).toMatchObject({
      conditions: [{ status: "False", reason: "SyncFailed", message: "configmaps of v1 have no scale" }],
    });
    expect(recorded).toContainEqual(
      expect.objectContaining({
        type: "Warning",
        reason: "CalculateExpectedPodCountFailed",
        regarding: expect.objectContaining({ kind: "PodDisruptionBudget", namespace: "stretched", name: "one" }),
      }),
    );
    await at(types.pods).delete("odd", { gracePeriodSeconds: 0 });
    await saying(at, "one", { expectedPods: 5, desiredHealthy: 3, currentHealthy: 4, disruptionsAllowed: 1 });
  });

  test("lets no more go than it may, whoever asks how often, and counts those that did not go again", async () => {
    const at = await namespace("raced");
    const set = await at(types.replicaSets).create(workload("web", 12));
    // Finalizers keep the pods for a while after their eviction.
    const held = { ...controlledBy("apps/v1", "ReplicaSet", set), finalizers: ["example.com/hold"] };
    const names = await pods(at, 12, held);
    await at(BUDGETS).create(budget("most", { minAvailable: "75%" }));
    await saying(at, "most", { expectedPods: 12, desiredHealthy: 9, currentHealthy: 12, disruptionsAllowed: 3 });
    const evicted = new Set<string>();
    const evict = async (name: string): Promise<void> => {
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
      const answer = await at(types.pods)
        .createSubresource(name, "eviction", eviction)
        .catch((error: unknown) => error);
      if (isCode(answer, 429)) return;
      expect(answer).toMatchObject({ status: "Success" });
      evicted.add(name);
    };
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(names.map((name) => evict(name)));
      clock.advance(STEP_MS);
      expect(evicted.size).toBeLessThanOrEqual(3);
    }
    expect(evicted.size).toBe(3);
    await saying(at, "most", { expectedPods: 12, desiredHealthy: 9, currentHealthy: 9, disruptionsAllowed: 0 });
    expect((await at(BUDGETS).get("most")).status?.disruptedPods).toBeUndefined();
    const [one = ""] = evicted;
    await at(types.pods).patch(one, "merge", { metadata: { finalizers: null } });
    await pod(at, "another", { ready: true, metadata: controlledBy("apps/v1", "ReplicaSet", set) });
    await saying(at, "most", { expectedPods: 12, desiredHealthy: 9, currentHealthy: 10, disruptionsAllowed: 1 });
  });

  test("waits two minutes for a pod whose eviction was allowed to go", async () => {
    const at = await namespace("stuck");
    const set = await at(types.replicaSets).create(workload("web", 2));
    await pods(at, 2, controlledBy("apps/v1", "ReplicaSet", set));
    await at(BUDGETS).create(budget("one", { maxUnavailable: 1 }));
    const whole = { expectedPods: 2, desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 };
    await saying(at, "one", whole);
    const found = await at(BUDGETS).get("one");
    const disruptedPods = {
      p0: new Date(Math.floor(clock.now() / 1_000) * 1_000).toISOString(),
      gone: "2020-01-01T00:00:00Z",
    };
    // The state after a server ended between allowing an eviction and deleting the pod.
    const taken = { ...found, status: { ...found.status, disruptionsAllowed: 0, disruptedPods } };
    await at(BUDGETS).updateStatus(taken as never);
    const pending = await saying(at, "one", { ...whole, currentHealthy: 1, disruptionsAllowed: 0 });
    expect(Object.keys(pending.disruptedPods ?? {})).toEqual(["p0"]);
    await pass(100);
    expect((await at(BUDGETS).get("one")).status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    expect((await saying(at, "one", whole, LONG_STEP_MS)).disruptedPods).toBeUndefined();
    expect(recorded).toContainEqual(
      expect.objectContaining({
        reason: "NotDeleted",
        regarding: expect.objectContaining({ kind: "Pod", namespace: "stuck", name: "p0" }),
      }),
    );
  });
});

describe("a job that has ended", () => {
  const ended = { type: "Complete", status: "True" };
  async function job(at: In, name: string, seconds: number | undefined): Promise<void> {
    const spec = { template: { spec: { ...TEMPLATE.spec, restartPolicy: "Never" } } };
    const limited = seconds === undefined ? spec : { ...spec, ttlSecondsAfterFinished: seconds };
    await at(types.jobs).create({ metadata: { name }, spec: limited } as never);
  }
  const end = (at: In, name: string) => {
    const lastTransitionTime = new Date(Math.floor(clock.now() / 1_000) * 1_000).toISOString();
    const conditions = [{ ...ended, lastTransitionTime }];
    return at(types.jobs).patch(name, "merge", { status: { conditions } }, { subresource: "status" });
  };
  const isGoing = async (at: In, name: string) => {
    const { deletionTimestamp, finalizers } = metaOf((await at(types.jobs).get(name)) as JsonObject);
    return deletionTimestamp !== undefined && finalizers;
  };

  test("goes at its time with all that it has made, and no sooner", async () => {
    const at = await namespace("jobs");
    await job(at, "short", 100);
    await job(at, "kept", undefined);
    await job(at, "running", 0);
    await job(at, "longer", 100);
    for (const name of ["short", "kept", "longer"]) await end(at, name);
    await pass(80);
    // The TTL is extended shortly before it ends.
    await at(types.jobs).patch("longer", "merge", { spec: { ttlSecondsAfterFinished: 1_000 } });
    await pass(10);
    expect(await isGoing(at, "short")).toBe(false);
    expect(await soon("it goes", () => isGoing(at, "short"), 500)).toEqual(["foregroundDeletion"]);
    for (const name of ["kept", "running", "longer"]) expect([name, await isGoing(at, name)]).toEqual([name, false]);
    await end(at, "running");
    await soon("it goes at once", () => isGoing(at, "running"));
  });
});

describe("an orphaned pod", () => {
  const namesOf = async (at: In) =>
    (await at(types.pods).list()).items.map((each) => (each as coreV1.Pod).metadata?.name);

  test("goes when its node has been away for a while", async () => {
    const at = await namespace("placed");
    for (const name of ["there", "lost"]) await client.resource(types.nodes).create({ metadata: { name } });
    await pod(at, "stays", { nodeName: "there" });
    await pod(at, "held", { nodeName: "lost", metadata: { finalizers: ["example.com/hold"] } });
    await pod(at, "goes", { nodeName: "lost" });
    await pod(at, "unplaced", { phase: "Pending" });
    await pass(60);
    expect(await namesOf(at)).toEqual(["goes", "held", "stays", "unplaced"]);
    await client.resource(types.nodes).delete("lost");
    await pass(30);
    expect(await namesOf(at)).toContain("goes");
    await soon("what was on it goes", async () => !(await namesOf(at)).includes("goes"), LONG_STEP_MS);
    expect(await namesOf(at)).toEqual(["held", "stays", "unplaced"]);
    expect(metaOf((await at(types.pods).get("held")) as JsonObject)).toMatchObject({ deletionGracePeriodSeconds: 0 });
  });

  test("goes when more have ended than are kept", async () => {
    const at = await namespace("ended");
    for (const [name, phase] of [
      ["a", "Failed"],
      ["b", "Succeeded"],
      ["c", "Succeeded"],
      ["d", "Failed"],
      ["runs", "Running"],
    ] as const)
      await pod(at, name, { phase });
    await soon("the first by age and name goes", async () => (await namesOf(at)).length === 4, LONG_STEP_MS);
    expect(await namesOf(at)).toEqual(["b", "c", "d", "runs"]);
  });
});

test("an unscheduled deleted pod is marked Failed from release 1.26 on, by the controller's service account", async () => {
  const later = await startServer({ flags: { "emulated-release": "1.26" } });
  const admin = adminClient(later);
  const namespaced = admin.resource(types.pods).namespace("default");
  const metadata = { name: "unplaced", finalizers: ["example.com/hold"] };
  await namespaced.create({ metadata, spec: TEMPLATE.spec } as never);
  await namespaced.delete("unplaced", { gracePeriodSeconds: 1_000 });
  const ending = new AbortController();
  const controllers = EVERY_CONTROLLER.filter(({ name }) => name === "podgc");
  const ran = runControllers(
    { connection: adminConnection(later), vocabulary: "orch", log: silentLog, controllers, usesAccounts: true },
    ending.signal,
  );
  await eventually("it has failed", async () => (await namespaced.get("unplaced")).status?.phase === "Failed");
  ending.abort();
  await ran;
  admin.close();
  await later.stop();
});

describe("a resource quota", () => {
  const QUOTAS: ResourceType<coreV1.ResourceQuota> = {
    ...{ group: "", version: "v1", resource: "resourcequotas", kind: "ResourceQuota", namespaced: true },
  };
  const controller = EVERY_CONTROLLER.find(({ name }) => name === "resourcequota");
  const oneByOne = { "concurrent-resource-quota-syncs": 1, "resource-quota-sync-period": 300_000 };

  test("that is new is in force before those that are there are counted again", async () => {
    const at = await namespace("limited");
    const names = Array.from({ length: 30 }, (_, index) => `q${index}`);
    const hard = { "count/secrets": "10" };
    const create = (name: string) => at(QUOTAS).create({ metadata: { name }, spec: { hard } });
    const counted = async (name: string) => {
      const made = await create(name);
      await at(QUOTAS).updateStatus({ ...made, status: { hard, used: { "count/secrets": "7" } } });
    };
    await Promise.all(names.map(counted));
    await create("z");
    const counting = new AbortController();
    const ran = controller?.run(
      { client, release: RELEASE, isOn: () => false, events, views: new SharedViews(client) },
      oneByOne,
      counting.signal,
    );
    const versions = await eventually("all are counted", async () => {
      const { items } = await at(QUOTAS).list();
      const isCounted = items.every(({ status }) => status?.used?.["count/secrets"] === "0");
      return isCounted && items.map(({ metadata }) => [metadata?.name, Number(metadata?.resourceVersion)] as const);
    });
    counting.abort();
    await ran;
    const inOrder = [...versions].sort(([, one], [, other]) => one - other).map(([name]) => name);
    expect(inOrder.indexOf("z")).toBeLessThan(5);
  });
});

describe("a cluster role that selects others", () => {
  const roles = () => client.resource(types.clusterRoles);
  const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
  const part = (name: string, labels: object) =>
    roles().create({ metadata: { name, labels }, rules: [rule(name)] } as never);
  const gathers = (...resources: readonly string[]) =>
    soon(`it has the rules of ${resources}`, async () => {
      const { rules } = await roles().get("whole");
      return JSON.stringify((rules ?? []).map((each) => each.resources?.[0])) === JSON.stringify(resources);
    });

  test("has their rules, which are the manager's own to whoever applies the role", async () => {
    await part("secrets", { part: "yes" });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] };
    const whole = { metadata: { name: "whole" }, aggregationRule };
    await roles().apply(whole as never, { fieldManager: "owner" });
    await gathers("secrets");
    await part("pods", { part: "yes" });
    await gathers("pods", "secrets");
    const { metadata } = await roles().apply({ ...whole, rules: [] } as never, { fieldManager: "owner", force: true });
    await gathers("pods", "secrets");
    const { metadata: after } = await roles().get("whole");
    expect(after?.uid).toBe(metadata?.uid);
    expect(after?.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`).sort()).toEqual([
      "clusterrole-aggregation-controller Apply",
      "owner Apply",
    ]);
    await roles().delete("secrets");
    await gathers("pods");
    await roles().patch("pods", "merge", { metadata: { labels: null } });
    await gathers();
  });
});

const STRETCH_DEFINITION = {
  metadata: { name: "stretches.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "stretches", singular: "stretch", kind: "Stretch" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-orch-preserve-unknown-fields": true } },
        subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
      },
    ],
  },
};
