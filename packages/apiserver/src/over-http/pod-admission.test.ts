// Pods created on a real server, as changed by LimitRanges, classes, namespaces and the cluster's configuration.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const PLUGINS = [
  ...["PodNodeSelector", "PodTolerationRestriction", "ExtendedResourceToleration", "AlwaysPullImages"],
  ...["DenyEscalatingExec", "LimitPodHardAntiAffinityTopology", "SecurityContextDeny"],
];

let server: RunningServer;
let admin: ApiClient;
let folder: string;
let spaces = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pod-admission-"));
  const configuration = join(folder, "admission.yaml");
  writeFileSync(
    configuration,
    `apiVersion: apiserver.config.orch.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodNodeSelector
  configuration:
    podNodeSelectorPluginConfig:
      clusterDefaultNodeSelector: pool=shared
      bounded: pool=shared,disk=fast
- name: PodTolerationRestriction
  configuration:
    apiVersion: podtolerationrestriction.admission.orch.io/v1alpha1
    kind: Configuration
    default:
    - {key: everywhere, operator: Exists}
`,
  );
  server = await startServer({
    flags: {
      "enable-admission-plugins": PLUGINS,
      "disable-admission-plugins": ["ServiceAccount"],
      "admission-control-config-file": configuration,
      "default-not-ready-toleration-seconds": 7,
    },
  });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Members of a pod or a node that the tests read. */
interface Made {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly { readonly resources: { readonly limits?: object } }[];
    readonly tolerations: readonly object[];
    readonly nodeSelector?: object;
    readonly taints?: readonly object[];
  };
  readonly status: { readonly qosClass: string };
}

const created = async (path: string, object: object): Promise<Made> => {
  const answer = await admin.post(path, object);
  expect([answer.code, answer.json.message]).toEqual([201, undefined]);
  return answer.json as object as Made;
};

/** Creates a namespace. @returns its path */
async function space(annotations: Readonly<Record<string, string>> = {}, name = `space-${++spaces}`): Promise<string> {
  await created("/api/v1/namespaces", { metadata: { name, annotations } });
  return `/api/v1/namespaces/${name}`;
}

const podOf = (spec: object = {}) => ({
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "i:1" }], ...spec },
});

const EVERYWHERE = { key: "everywhere", operator: "Exists" };
const leaves = (key: string, tolerationSeconds: number) => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds,
});
const LEAVING = [leaves("node.orch.io/not-ready", 7), leaves("node.orch.io/unreachable", 300)];
const PRESSURE = { key: "node.orch.io/memory-pressure", operator: "Exists", effect: "NoSchedule" };

test("a pod without settings receives the defaults", async () => {
  const { spec, metadata } = await created(`${await space()}/pods`, podOf());
  expect(spec).toMatchObject({
    priority: 0,
    preemptionPolicy: "PreemptLowerPriority",
    nodeSelector: { pool: "shared" },
    tolerations: [...LEAVING, EVERYWHERE],
    containers: [{ imagePullPolicy: "Always" }],
  });
  expect(metadata.annotations).toBeUndefined();
});

describe("a range", () => {
  const range = {
    metadata: { name: "r" },
    spec: {
      limits: [
        {
          type: "Container",
          default: { cpu: "200m" },
          defaultRequest: { cpu: "100m" },
          max: { cpu: "1", memory: "1Gi" },
        },
      ],
    },
  };

  test("counts from the moment in which it is there", async () => {
    for (let round = 0; round < 20; round += 1) {
      const path = await space();
      await created(`${path}/limitranges`, range);
      const { spec, metadata, status } = await created(`${path}/pods`, podOf());
      expect(spec.containers[0]?.resources).toEqual({
        limits: { cpu: "200m", memory: "1Gi" },
        requests: { cpu: "100m", memory: "1Gi" },
      });
      expect(spec.tolerations).toEqual([...LEAVING, EVERYWHERE, PRESSURE]);
      expect(metadata.annotations).toEqual({
        "orch.io/limit-ranger":
          "LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c",
      });
      expect(status.qosClass).toBe("Burstable");
    }
  });

  test("refuses what asks for more, and no longer once it is gone", async () => {
    const path = await space();
    await created(`${path}/limitranges`, range);
    const large = podOf({ containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }] });
    const refused = await admin.post(`${path}/pods`, large);
    expect([refused.code, refused.json.message]).toEqual([
      403,
      'pods "p" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    ]);
    expect((await admin.delete(`${path}/limitranges/r`)).code).toBe(200);
    await created(`${path}/pods`, large);
  });

  test("is applied to pods of many containers as well", async () => {
    const path = await space();
    await created(`${path}/limitranges`, range);
    const containers = Array.from({ length: 1000 }, (_, at) => ({ name: `c${at}`, image: "i" }));
    const { spec, metadata } = await created(`${path}/pods`, podOf({ containers }));
    expect(spec.containers[999]?.resources.limits).toEqual({ cpu: "200m", memory: "1Gi" });
    expect(spec).toMatchObject({ priority: 0, tolerations: [...LEAVING, EVERYWHERE, PRESSURE] });
    expect(metadata.annotations?.["orch.io/limit-ranger"]).toMatch(/cpu, memory limit for container c999$/);
  });
});

describe("a priority class", () => {
  const CLASSES = "/apis/scheduling.orch.io/v1/priorityclasses";

  test("counts from the moment in which it is there", async () => {
    const path = `${await space()}/pods`;
    for (let round = 0; round < 20; round += 1) {
      const name = `class-${round}`;
      await created(CLASSES, { metadata: { name }, value: round, preemptionPolicy: "Never" });
      const { spec } = await created(path, { ...podOf({ priorityClassName: name }), metadata: { name } });
      expect(spec).toMatchObject({ priorityClassName: name, priority: round, preemptionPolicy: "Never" });
    }
    const { code, json } = await admin.post(path, podOf({ priorityClassName: "none" }));
    expect([code, json.message]).toEqual([403, 'pods "p" is forbidden: no PriorityClass with name none was found']);
  });

  test("the single default priority class applies to pods without one", async () => {
    await created(CLASSES, { metadata: { name: "usual" }, value: 11, globalDefault: true });
    const second = await admin.post(CLASSES, { metadata: { name: "other" }, value: 12, globalDefault: true });
    expect([second.code, second.json.message]).toEqual([
      403,
      'priorityclasses.scheduling.orch.io "other" is forbidden: PriorityClass usual is already marked as default. ' +
        "Only one default can exist",
    ]);
    const { spec } = await created(`${await space()}/pods`, podOf());
    expect(spec).toMatchObject({ priorityClassName: "usual", priority: 11 });
    expect((await admin.delete(`${CLASSES}/usual`)).code).toBe(200);
    const { spec: after } = await created(`${await space()}/pods`, podOf());
    expect(after).toMatchObject({ priority: 0 });
  });

  test("the priority class of a pod stays when an update omits it", async () => {
    const path = `${await space()}/pods`;
    const before = await created(path, podOf({ priorityClassName: "system-node-critical" }));
    const containers = [{ name: "c", image: "i:1", imagePullPolicy: "Always" }];
    const body = podOf({ priorityClassName: "system-node-critical", containers });
    const { code, json } = await admin.put(`${path}/p`, {
      ...body,
      spec: { ...body.spec, nodeSelector: { pool: "shared" }, tolerations: before.spec.tolerations },
    });
    expect([code, json.spec]).toEqual([200, before.spec]);
  });
});

test("a runtime class says what pods cost and where they run, from the moment in which it is there", async () => {
  const classes = "/apis/node.orch.io/v1/runtimeclasses";
  const path = `${await space()}/pods`;
  const scheduling = { nodeSelector: { vm: "yes" }, tolerations: [{ key: "vm", operator: "Exists" }] };
  for (let round = 0; round < 20; round += 1) {
    const name = `vm-${round}`;
    await created(classes, {
      metadata: { name },
      handler: "vm",
      overhead: { podFixed: { memory: "64Mi" } },
      scheduling,
    });
    const { spec } = await created(path, { ...podOf({ runtimeClassName: name }), metadata: { name } });
    expect(spec).toMatchObject({
      overhead: { memory: "64Mi" },
      nodeSelector: { pool: "shared", vm: "yes" },
      tolerations: [...LEAVING, EVERYWHERE, { key: "vm", operator: "Exists" }],
    });
  }
  const { code, json } = await admin.post(path, podOf({ runtimeClassName: "none" }));
  expect([code, json.message]).toEqual([403, 'pods "p" is forbidden: pod rejected: RuntimeClass "none" not found']);
});

describe("a namespace", () => {
  test("chooses nodes for its pods", async () => {
    const path = `${await space({ "scheduler.alpha.orch.io/node-selector": "pool=own" })}/pods`;
    const { spec } = await created(path, podOf({ nodeSelector: { disk: "fast" } }));
    expect(spec.nodeSelector).toEqual({ pool: "own", disk: "fast" });
    const { code, json } = await admin.post(path, podOf({ nodeSelector: { pool: "shared" } }));
    expect([code, json.message]).toEqual([
      403,
      'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    ]);
  });

  test("changes its mind", async () => {
    const path = await space();
    await admin.ask("PATCH", path, {
      body: { metadata: { annotations: { "scheduler.alpha.orch.io/node-selector": "" } } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect((await created(`${path}/pods`, podOf())).spec.nodeSelector).toBeUndefined();
  });

  test("is bounded by the cluster", async () => {
    const path = `${await space({}, "bounded")}/pods`;
    const { code, json } = await admin.post(path, podOf({ nodeSelector: { gpu: "yes" } }));
    expect([code, json.message]).toEqual([
      403,
      'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    ]);
    await created(path, podOf({ nodeSelector: { disk: "fast" } }));
  });

  test("says what its pods may tolerate", async () => {
    const allowed = JSON.stringify([{ operator: "Exists", effect: "NoExecute" }]);
    const path = `${await space({ "scheduler.alpha.orch.io/tolerationsWhitelist": allowed, "scheduler.alpha.orch.io/defaultTolerations": "" })}/pods`;
    expect((await created(path, podOf())).spec.tolerations).toEqual(LEAVING);
    const other = { ...podOf({ tolerations: [{ key: "a", operator: "Exists" }] }), metadata: { name: "q" } };
    const { code, json } = await admin.post(path, other);
    expect([code, json.message]).toEqual([
      403,
      'pods "q" is forbidden: pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    ]);
  });
});

test("a device is tolerated by who asks for it", async () => {
  const resources = { limits: { "example.com/gpu": "1" } };
  const { spec } = await created(
    `${await space()}/pods`,
    podOf({ containers: [{ name: "c", image: "i", resources }] }),
  );
  expect(spec.tolerations).toContainEqual({ key: "example.com/gpu", operator: "Exists", effect: "NoSchedule" });
});

test.each([
  [
    "keep others off a zone",
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {}, topologyKey: "zone" }],
        },
      },
    },
    /RequiredDuringScheduling has TopologyKey zone but only key orch\.io\/hostname is allowed$/,
  ],
  [
    "choose whom they run as",
    { securityContext: { runAsUser: 0 } },
    /pod\.Spec\.SecurityContext\.RunAsUser is forbidden$/,
  ],
])("pods may not %s", async (_what, spec, message) => {
  const { code, json } = await admin.post(`${await space()}/pods`, podOf(spec));
  expect([code, json.message]).toEqual([403, expect.stringMatching(message)]);
});

test("a new node is tainted until it is ready", async () => {
  const { spec } = await created("/api/v1/nodes", { metadata: { name: "n" } });
  expect(spec.taints).toEqual([{ key: "node.orch.io/not-ready", effect: "NoSchedule" }]);
  const taken = await admin.ask("PATCH", "/api/v1/nodes/n", {
    body: { spec: { taints: null } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  expect([taken.code, taken.json.spec]).toEqual([200, {}]);
});

describe("connections to pods that share host namespaces are rejected", () => {
  const MESSAGE = 'pods "p" is forbidden: cannot exec into or attach to a container using host network';

  test("each kind of connection", async () => {
    const path = `${await space()}/pods`;
    await created(path, podOf({ hostNetwork: true }));
    for (const method of ["GET", "POST"]) {
      for (const part of ["exec?command=sh", "attach"]) {
        const { code, json } = await admin.ask(method, `${path}/p/${part}`);
        expect([code, json.message]).toEqual([403, MESSAGE]);
      }
      const { json } = await admin.ask(method, `${path}/p/portforward?ports=80`);
      expect(json.message).not.toBe(MESSAGE);
    }
  });

  test("and into others as before", async () => {
    const path = `${await space()}/pods`;
    await created(path, podOf());
    const { code, json } = await admin.post(`${path}/p/exec?command=sh`, "");
    expect([code, json.message]).toEqual([400, expect.stringMatching(/^pod p does not have a host assigned/)]);
  });
});
