// Dynamic resource allocation behind feature gates that are off by default, by a separate controller manager process.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const GROUP = "/apis/resource.k8s.io";
const CLAIMS = `${GROUP}/v1/namespaces/default/resourceclaims`;
const SLICES = `${GROUP}/v1/resourceslices`;
const REQUESTS = `${GROUP}/v1alpha3/resourcepoolstatusrequests`;
const PODS = "/api/v1/namespaces/default/pods";
const TEMPLATES = `${GROUP}/v1/namespaces/default/resourceclaimtemplates`;
const GATES = ["DRADeviceTaintRules", "DRAResourcePoolStatus", "DRAWorkloadResourceClaims", "GenericWorkload"]
  .map((gate) => `${gate}=true`)
  .join(",");
const DRIVER = "gpu.example.com";
let server: ApiServer;
let RULES: string;
let GROUPS: string;

async function start(release: string, { rules, groups }: { readonly rules: string; readonly groups: string }) {
  RULES = `${GROUP}/${rules}/devicetaintrules`;
  GROUPS = `/apis/scheduling.k8s.io/${groups}/namespaces/default/podgroups`;
  const versions = ["resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3", `scheduling.k8s.io/${groups}`];
  server = await startApiServer(workplace, {
    store: { kind: "embedded" },
    flags: [
      "--vocabulary=kubernetes",
      `--emulated-release=${release}`,
      `--feature-gates=${GATES}`,
      `--runtime-config=${versions.map((version) => `${version}=true`).join(",")}`,
    ],
  });
  const flags = [`--feature-gates=${GATES}`, "--use-service-account-credentials=true"];
  const manager = new ControllerManagers(workplace, server, "kubernetes").start(`manager-${release}`, flags);
  await eventually("it leads", async () => leads(manager));
}

async function send(method: string, path: string, body?: object): Promise<number> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await server.admin.send(path, { method, headers: { "content-type": type }, ...sent })).status;
}

interface Read {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly taint?: { readonly effect: string } };
  readonly status?: {
    readonly poolCount?: number;
    readonly pools?: readonly object[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

const read = async (path: string) => (await server.admin.get(path)).object() as unknown as Read;

const slice = (name: string, pool: string, { devices = ["a", "b"], of = 1, generation = 1 } = {}) => ({
  metadata: { name },
  spec: {
    driver: DRIVER,
    pool: { name: pool, generation, resourceSliceCount: of },
    allNodes: true,
    devices: devices.map((device) => ({ name: device })),
  },
});

/** Creates a pod on a node with an allocated device. */
async function podWithDevice(name: string, pool: string, tolerations: readonly object[] = []): Promise<void> {
  const request = { name: "r", exactly: { deviceClassName: "gpu", ...(tolerations.length > 0 && { tolerations }) } };
  expect(await send("POST", CLAIMS, { metadata: { name }, spec: { devices: { requests: [request] } } })).toBe(201);
  const resourceClaims = [{ name: "gpu", resourceClaimName: name }];
  const containers = [{ name: "c", image: "i" }];
  expect(await send("POST", PODS, { metadata: { name }, spec: { nodeName: "n", resourceClaims, containers } })).toBe(
    201,
  );
  const { uid } = (await read(`${PODS}/${name}`)).metadata;
  const results = [{ request: "r", driver: DRIVER, pool, device: "a", ...(tolerations.length > 0 && { tolerations }) }];
  const status = { allocation: { devices: { results } }, reservedFor: [{ resource: "pods", name, uid }] };
  expect(await send("PATCH", `${CLAIMS}/${name}/status`, { status })).toBe(200);
}

const rule = (name: string, pool: string, effect: string) => ({
  metadata: { name },
  spec: { deviceSelector: { driver: DRIVER, pool }, taint: { key: "broken", effect } },
});

const conditionOf = async (name: string) => (await read(`${RULES}/${name}`)).status?.conditions?.[0];
const isLeaving = async (pod: string) => (await read(`${PODS}/${pod}`)).metadata.deletionTimestamp !== undefined;

interface Claiming {
  readonly metadata: { readonly name: string; readonly uid: string; readonly ownerReferences?: readonly object[] };
  readonly status?: {
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName: string }[];
    readonly allocation?: object;
    readonly reservedFor?: readonly object[];
  };
}

const claiming = async (path: string) => (await server.admin.get(path)).object() as unknown as Claiming;

describe.each([
  { release: "1.36", rules: "v1beta2", groups: "v1alpha2" },
  { release: "1.37", rules: "v1", groups: "v1beta1" },
])("release $release", ({ release, rules, groups }) => {
  beforeAll(() => start(release, { rules, groups }), 60_000);

  test("a rule with the effect NoExecute evicts pods that do not tolerate it, and tells how many leave", async () => {
    const NO_END = [{ operator: "Exists", effect: "NoExecute" }];
    const LATER = [{ ...NO_END[0], tolerationSeconds: 3600 }];
    await podWithDevice("plain", "evicted");
    await podWithDevice("tolerant", "evicted", NO_END);
    await podWithDevice("patient", "evicted", LATER);
    await podWithDevice("elsewhere", "other");
    expect(await send("POST", RULES, rule("evicting", "evicted", "NoExecute"))).toBe(201);
    await eventually("the pod is deleted", () => isLeaving("plain"));
    for (const pod of ["tolerant", "patient", "elsewhere"]) expect([pod, await isLeaving(pod)]).toEqual([pod, false]);
    await eventually("the condition is set", async () => (await conditionOf("evicting")) !== undefined);
    expect(await conditionOf("evicting")).toMatchObject({
      type: "EvictionInProgress",
      status: "True",
      reason: "PodsPendingEviction",
      message: expect.stringMatching(/^[12] pods? needs? to be evicted in 1 namespace\./),
      observedGeneration: 1,
    });
    expect((await read(`${PODS}/plain`)).status?.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByDeviceTaintManager" }),
      ]),
    );
    // The pod that leaves later stays when the rule has gone.
    expect(await send("DELETE", `${RULES}/evicting`)).toBe(200);
    await eventually("the eviction is cancelled", async () => {
      const events = (await server.admin.get("/api/v1/namespaces/default/events")).object() as unknown as {
        readonly items: readonly { readonly message: string; readonly involvedObject: { readonly name: string } }[];
      };
      return events.items.some(
        ({ message, involvedObject: { name } }) => message === "Cancelling deletion" && name === "patient",
      );
    });
  }, 60_000);

  test.each<[string, string, string, string]>([
    ["NoSchedule", "other-effect", "OtherEffect", "Eviction only happens for the NoExecute effect."],
    [
      "None",
      "no-effect",
      "NoEffect",
      "2 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
    ],
  ])(
    "a rule with the effect %s evicts no pod, and tells so",
    async (effect, name, reason, message) => {
      expect(await send("POST", SLICES, slice(name, name))).toBe(201);
      await podWithDevice(name, name);
      await eventually("the claim is cached", async () => {
        expect(await send("DELETE", `${RULES}/${name}`)).toBeGreaterThan(0);
        expect(await send("POST", RULES, rule(name, name, effect))).toBe(201);
        await eventually("the condition is set", async () => (await conditionOf(name)) !== undefined);
        return (await conditionOf(name))?.message === message;
      });
      expect(await conditionOf(name)).toMatchObject({ type: "EvictionInProgress", status: "False", reason });
      expect(await isLeaving(name)).toBe(false);
    },
    60_000,
  );

  test("a request for the status of pools is answered once", async () => {
    await podWithDevice("allocated", "whole");
    const slices = [
      slice("w1", "whole", { of: 2 }),
      slice("w2", "whole", { of: 2, devices: ["c"] }),
      slice("h", "half", { of: 2 }),
    ];
    for (const each of slices) expect(await send("POST", SLICES, each)).toBe(201);
    const whole = {
      ...{ driver: DRIVER, poolName: "whole", generation: 1, resourceSliceCount: 2 },
      ...{ totalDevices: 3, allocatedDevices: 1, availableDevices: 2, unavailableDevices: 0 },
    };
    const validationError = `pool ${DRIVER}/half is incomplete: observed 1/2 slices at generation 1`;
    const half = { driver: DRIVER, poolName: "half", generation: 1, validationError };
    const answers: readonly (readonly [name: string, spec: object, pools: readonly object[]])[] = [
      ["one", { driver: DRIVER, poolName: "whole" }, [whole]],
      ["incomplete", { driver: DRIVER, poolName: "half" }, [half]],
      ["none", { driver: "x.example.com" }, []],
    ];
    for (const [name, spec, pools] of answers) {
      expect(await send("POST", REQUESTS, { metadata: { name }, spec })).toBe(201);
      const status = async () => (await read(`${REQUESTS}/${name}`)).status;
      await eventually("it is answered", async () => (await status()) !== undefined);
      expect(await status()).toMatchObject({
        poolCount: pools.length,
        conditions: [{ type: "Complete", status: "True" }],
      });
      expect((await status())?.pools ?? []).toEqual(pools);
    }
  }, 60_000);

  test("the pods of a group share the claim of the group, which ends with the group", async () => {
    const shared = { name: "gpu", resourceClaimTemplateName: "shared" };
    const own = { name: "nic", resourceClaimTemplateName: "own" };
    const devices = { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] };
    const group = { metadata: { name: "team" }, spec: { schedulingPolicy: { basic: {} }, resourceClaims: [shared] } };
    expect(await send("POST", GROUPS, group)).toBe(201);
    const member = (name: string) => ({
      metadata: { name },
      spec: {
        schedulingGroup: { podGroupName: "team" },
        resourceClaims: [shared, own],
        containers: [{ name: "c", image: "i" }],
      },
    });
    for (const name of ["one", "two"]) expect(await send("POST", PODS, member(name))).toBe(201);
    for (const name of ["shared", "own"]) {
      expect(await send("POST", TEMPLATES, { metadata: { name }, spec: { spec: { devices } } })).toBe(201);
    }
    const statusesOf = async (path: string) => {
      const { resourceClaimStatuses: statuses = [] } = (await claiming(path)).status ?? {};
      return new Map(statuses.map(({ name, resourceClaimName }) => [name, resourceClaimName]));
    };
    for (const name of ["one", "two"])
      await eventually("the claims are recorded", async () => (await statusesOf(`${PODS}/${name}`)).size === 2);
    const ofGroup = await statusesOf(`${GROUPS}/team`);
    const [one, two] = [await statusesOf(`${PODS}/one`), await statusesOf(`${PODS}/two`)];
    const claim = ofGroup.get("gpu") ?? "";
    expect([...ofGroup.keys()]).toEqual(["gpu"]);
    expect([one.get("gpu"), two.get("gpu")]).toEqual([claim, claim]);
    expect([claim, one.get("nic"), two.get("nic")]).toEqual([
      expect.stringMatching(/^team-gpu-/),
      expect.stringMatching(/^one-nic-/),
      expect.stringMatching(/^two-nic-/),
    ]);
    const { uid } = (await claiming(`${GROUPS}/team`)).metadata;
    expect((await claiming(`${CLAIMS}/${claim}`)).metadata.ownerReferences).toEqual([
      { apiVersion: `scheduling.k8s.io/${groups}`, kind: "PodGroup", name: "team", uid, controller: true },
    ]);
    // The claim of a pod that has its node is reserved for the group.
    const finalizers = ["resource.kubernetes.io/delete-protection"];
    expect(await send("PATCH", `${CLAIMS}/${claim}`, { metadata: { finalizers } })).toBe(200);
    const results = [{ request: "r", driver: DRIVER, pool: "team", device: "a" }];
    expect(await send("PATCH", `${CLAIMS}/${claim}/status`, { status: { allocation: { devices: { results } } } })).toBe(
      200,
    );
    const binding = { metadata: { name: "one" }, target: { kind: "Node", name: "n" } };
    expect(await send("POST", `${PODS}/one/binding`, binding)).toBe(201);
    const reservedFor = async () => (await claiming(`${CLAIMS}/${claim}`)).status?.reservedFor;
    await eventually("the claim is reserved", async () => (await reservedFor()) !== undefined);
    expect(await reservedFor()).toEqual([{ apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "team", uid }]);
    // A rule evicts the pods of the group that have a node.
    expect(await send("POST", RULES, rule("team", "team", "NoExecute"))).toBe(201);
    await eventually("the pod is deleted", () => isLeaving("one"));
    expect(await isLeaving("two")).toBe(false);
    expect(await send("DELETE", `${RULES}/team`)).toBe(200);
    // The reservation stays until the group has gone, and the claim with it.
    for (const name of ["one", "two"]) await send("DELETE", `${PODS}/${name}?gracePeriodSeconds=0`);
    expect(await reservedFor()).toHaveLength(1);
    expect(await send("DELETE", `${GROUPS}/team`)).toBe(200);
    await eventually("the claim is gone", async () => (await server.admin.get(`${CLAIMS}/${claim}`)).status === 404);
  }, 60_000);
});
