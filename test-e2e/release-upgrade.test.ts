// A rolling upgrade of a fleet on one etcd from the release 1.26 to 1.36, and back, while clients of both releases write
// and watch.
import { beforeAll, expect, test } from "@jest/globals";
import type { ApiObject } from "./harness/api-object";
import { expectStatus } from "./harness/config-maps";
import { Authority } from "./harness/credentials";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { Follower, type Kind, type KindVersion, pathOf, Writer } from "./harness/followed-kind";
import type { SendOptions } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";
import { RollingFleet } from "./harness/rolling-fleet";

const OLDER = "1.26";
const NEWER = "1.36";
const BOTH = [OLDER, NEWER];
const NAMESPACE = "rolling";
const SERVICE_WRITERS = 3;

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "web:1" }] },
};
const inNamespace = (kind: string, resource: string, ...versions: readonly KindVersion[]): Kind => ({
  kind,
  resource,
  namespace: NAMESPACE,
  versions,
});
const served = (apiVersion: string, body: Readonly<Record<string, unknown>>, releases = BOTH): KindVersion => ({
  apiVersion,
  releases,
  body,
});
const scaled = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 3 };
const level = {
  spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
};
const jobSpec = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };

const PODS = inNamespace("Pod", "pods", served("v1", { spec: template.spec }));
const DEPLOYMENTS = inNamespace(
  "Deployment",
  "deployments",
  served("apps/v1", { spec: { selector: { matchLabels: { app: "web" } }, template } }),
);
const SERVICES = inNamespace("Service", "services", served("v1", { spec: { ports: [{ port: 80 }] } }));
const JOBS = inNamespace("Job", "jobs", served("batch/v1", { spec: jobSpec }));
const AUTOSCALERS = inNamespace(
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
  served("autoscaling/v1", { spec: scaled }),
  served("autoscaling/v2", { spec: scaled }),
);
const KINDS: readonly Kind[] = [
  PODS,
  DEPLOYMENTS,
  SERVICES,
  JOBS,
  inNamespace("ConfigMap", "configmaps", served("v1", { data: { key: "value" } })),
  inNamespace("Lease", "leases", served("coordination.k8s.io/v1", { spec: { holderIdentity: "fleet" } })),
  AUTOSCALERS,
  {
    kind: "PriorityLevelConfiguration",
    resource: "prioritylevelconfigurations",
    versions: [
      served("flowcontrol.apiserver.k8s.io/v1beta3", level, [OLDER]),
      served("flowcontrol.apiserver.k8s.io/v1", level, [NEWER]),
    ],
  },
  inNamespace(
    "ResourceClaim",
    "resourceclaims",
    served(
      "resource.k8s.io/v1",
      { spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } } },
      [NEWER],
    ),
  ),
];

const workplace = useWorkplace();
let fleet: RollingFleet;

beforeAll(async () => {
  const { endpoints } = await startEtcd(workplace);
  fleet = new RollingFleet(workplace, {
    authority: new Authority(workplace),
    endpoints,
    // Few addresses, so that those of deleted services are given again.
    flags: ["--vocabulary=kubernetes", "--service-cluster-ip-range=10.20.0.0/26"],
  });
  for (const name of ["a", "b", "c"]) await fleet.add(name, OLDER);
}, 120_000);

const addressOf = (service: ApiObject): string => (service["spec"] as { readonly clusterIP: string }).clusterIP;

/** Writes services, and records addresses that two of them have at the same time. */
class ServiceWriter extends Writer {
  static readonly given = new Map<string, string>();
  static readonly twice: string[] = [];

  override async create(name: string): Promise<ApiObject> {
    const made = await super.create(name);
    const owner = ServiceWriter.given.get(addressOf(made));
    if (owner !== undefined) ServiceWriter.twice.push(`${addressOf(made)} of ${owner} and ${name}`);
    ServiceWriter.given.set(addressOf(made), name);
    return made;
  }

  override delete(name: string): Promise<void> {
    const object = this.alive.get(name);
    // Another writer may get the address before this one has the answer.
    if (object !== undefined) ServiceWriter.given.delete(addressOf(object));
    return super.delete(name);
  }
}

const list = async (path: string, release?: string): Promise<ApiObject> =>
  expectStatus(
    200,
    fleet.send((of) => ((release ?? of) === of ? { path } : undefined)).then(({ answer }) => answer),
  );

/** Addresses of all services, and the names of the IPAddress objects. */
async function addresses(): Promise<readonly [readonly string[], readonly string[]]> {
  const services = await list("/api/v1/services");
  const objects = await list("/apis/networking.k8s.io/v1/ipaddresses", NEWER);
  return [(services.items ?? []).map(addressOf).sort(), (objects.items ?? []).map((one) => one.metadata.name).sort()];
}

test("a fleet goes from 1.26 to 1.36 and back under load without a lost write, a missed event or a failed request", async () => {
  const made = await fleet.send(() => ({
    path: "/api/v1/namespaces",
    options: { method: "POST", body: JSON.stringify({ metadata: { name: NAMESPACE } }) },
  }));
  const from = made.answer.object().metadata.resourceVersion;

  const writersOf = new Map<Kind, readonly Writer[]>(
    KINDS.map((kind) => [
      kind,
      kind === SERVICES
        ? Array.from({ length: SERVICE_WRITERS }, (_, index) => new ServiceWriter(fleet, kind, `service-${index}`))
        : [new Writer(fleet, kind)],
    ]),
  );
  const followersOf = new Map<Kind, readonly Follower[]>(
    KINDS.map((kind) => [kind, kind.versions.map((version) => new Follower(fleet, kind, { version, from }))]),
  );
  const writers = [...writersOf.values()].flat();
  const followers = [...followersOf.values()].flat();

  // A service and its address from before the upgrade.
  const kept = new ServiceWriter(fleet, SERVICES, "kept");
  await kept.create("kept");

  let rolling = true;
  const writing = Promise.all(
    writers.map(async (writer) => {
      while (rolling) await writer.round();
    }),
  );
  const following = Promise.all(followers.map((follower) => follower.until("last")));
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    rolling = false;
    fleet.close();
  };
  writing.catch(fail);
  following.catch(fail);

  /** Waits until every writer that has a server has written some objects. */
  const load = async () => {
    const before = [...writersOf].flatMap(([kind, some]) =>
      kind.versions.some(({ releases }) => fleet.releases.some((one) => releases.includes(one)))
        ? some.map((writer) => ({ writer, rounds: writer.rounds }))
        : [],
    );
    await eventually(
      "every writer goes on",
      async () => {
        if (failure !== undefined) throw failure;
        return before.every(({ writer, rounds }) => writer.rounds > rounds + 1);
      },
      { timeoutMs: 30_000 },
    );
  };
  const turn = async (index: number, release: string) => {
    await fleet.replace(index, release);
    await load();
  };

  await load();
  for (const index of [0, 1, 2]) await turn(index, NEWER);
  await eventually("the older service has its IPAddress", async () =>
    (await addresses())[1].includes(addressOf(kept.alive.get("kept") as ApiObject)),
  );
  for (const index of [0, 1, 2]) await turn(index, OLDER);
  await turn(0, NEWER);

  rolling = false;
  await writing;
  for (const some of writersOf.values()) await some[0]?.create("last");
  await following;

  expect(ServiceWriter.twice).toEqual([]);
  for (const [kind, some] of writersOf) {
    const all = kind === SERVICES ? [...some, kept] : some;
    const acknowledged = all.flatMap((writer) => writer.acknowledged);
    const alive = new Map(
      all.flatMap((writer) => [...writer.alive]).map(([name, { metadata }]) => [name, metadata.resourceVersion]),
    );
    for (const version of kind.versions) {
      const { items = [] } = await list(`${pathOf(kind, version)}?labelSelector=of%3Dfleet`, version.releases[0]);
      expect(new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]))).toEqual(alive);
    }
    for (const follower of followersOf.get(kind) ?? []) {
      expect([follower.title, follower.faults]).toEqual([follower.title, []]);
      expect([follower.title, follower.state]).toEqual([follower.title, alive]);
      expect(new Set(follower.seen).size).toBe(follower.seen.length);
      const seen = new Set(follower.seen);
      expect(acknowledged.filter((state) => !seen.has(state))).toEqual([]);
      expect(follower.deleted.sort()).toEqual(all.flatMap((writer) => writer.deleted).sort());
      expect(follower.resumed).toBeGreaterThan(1);
    }
  }
  const [given] = await addresses();
  expect(new Set(given).size).toBe(given.length);
  await eventually("exactly the services have IPAddresses", async () => {
    const [wanted, objects] = await addresses();
    return JSON.stringify(wanted) === JSON.stringify(objects);
  });
}, 240_000);

const pod = (spec: object, container: object = {}) => ({
  spec: { containers: [{ name: "web", image: "web:1", ...container }], ...spec },
});
const deployment = (spec: object, container: object = {}) => ({
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: template.metadata, ...pod(spec, container) },
  },
});
const job = (spec: object) => ({ spec: { ...jobSpec, ...spec } });
const sidecar = { initContainers: [{ name: "side", image: "side:1", restartPolicy: "Always" }] };
const ownRules = {
  restartPolicy: "Never",
  restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
};

/** Fields and values that 1.26 does not have. */
const NEWER_FIELDS: readonly [what: string, kind: Kind, body: object, name?: string][] = [
  [
    "the traffic distribution of a service",
    SERVICES,
    { spec: { ports: [{ port: 80 }], trafficDistribution: "PreferSameZone" } },
  ],
  ["a service whose name starts with a digit", SERVICES, { spec: { ports: [{ port: 80 }] } }, "7-digits"],
  ["the controller of a job", JOBS, job({ managedBy: "example.com/queue", podReplacementPolicy: "Failed" })],
  [
    "the success policy of a job",
    JOBS,
    job({
      completionMode: "Indexed",
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 1,
      successPolicy: { rules: [{ succeededCount: 1 }] },
    }),
  ],
  ["a sidecar", PODS, pod(sidecar)],
  ["a sidecar in a template", DEPLOYMENTS, deployment(sidecar)],
  ["the host name of a pod", PODS, pod({ hostnameOverride: "web.example.com" })],
  ["resources of a pod", PODS, pod({ resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } })],
  ["resources of pods in a template", DEPLOYMENTS, deployment({ resources: { limits: { memory: "1Gi" } } })],
  ["scheduling gates", PODS, pod({ schedulingGates: [{ name: "example.com/quota" }] })],
  ["a user namespace in a template", DEPLOYMENTS, deployment({ hostUsers: false })],
  ["restart rules of a container", PODS, pod({ restartPolicy: "Always" }, ownRules)],
  [
    "an image volume in a template",
    DEPLOYMENTS,
    deployment({ volumes: [{ name: "model", image: { reference: "model:1" } }] }),
  ],
  [
    "a sleep before the end of a container in a template",
    DEPLOYMENTS,
    deployment({}, { lifecycle: { preStop: { sleep: { seconds: 0 } } } }),
  ],
  [
    "label keys of an affinity in a template",
    DEPLOYMENTS,
    deployment({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: "zone",
              labelSelector: { matchLabels: { app: "web" } },
              matchLabelKeys: ["pod-template-hash"],
            },
          ],
        },
      },
    }),
  ],
  ["the tolerance of an autoscaler", AUTOSCALERS, { spec: { ...scaled, behavior: { scaleUp: { tolerance: "50m" } } } }],
];

test.each(NEWER_FIELDS)(
  "servers of 1.26 keep %s of 1.36",
  async (what, kind, body, name = what.replaceAll(" ", "-")) => {
    const version = kind.versions.at(-1) as KindVersion;
    const path = pathOf(kind, version);
    const by = async (release: string, suffix: string, options: SendOptions = {}) =>
      (await fleet.send((of) => (of === release ? { path: `${path}${suffix}`, options } : undefined))).answer;
    const text = JSON.stringify({ ...body, metadata: { name } });
    const spec = (await expectStatus(201, by(NEWER, "", { method: "POST", body: text })))["spec"];
    expect(spec).toMatchObject((body as { readonly spec: object }).spec);

    const read = await expectStatus(200, by(OLDER, `/${name}`));
    expect(read["spec"]).toEqual(spec);
    const labelled = JSON.stringify({ ...read, metadata: { ...read.metadata, labels: { put: "older" } } });
    expect((await expectStatus(200, by(OLDER, `/${name}`, { method: "PUT", body: labelled })))["spec"]).toEqual(spec);
    for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"]) {
      const patch = { metadata: { annotations: { patched: type } } };
      const options = { method: "PATCH", headers: { "content-type": type }, body: JSON.stringify(patch) };
      expect((await expectStatus(200, by(OLDER, `/${name}`, options)))["spec"]).toEqual(spec);
    }
    const apply = { apiVersion: version.apiVersion, kind: kind.kind, metadata: { name, labels: { applied: "older" } } };
    await expectStatus(
      200,
      by(OLDER, `/${name}?fieldManager=older`, {
        method: "PATCH",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: JSON.stringify(apply),
      }),
    );
    const last = await expectStatus(200, by(NEWER, `/${name}`));
    expect(last["spec"]).toEqual(spec);
    expect(last.metadata.labels).toMatchObject({ put: "older", applied: "older" });
  },
);
