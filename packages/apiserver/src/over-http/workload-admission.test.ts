// Admission plugins of 1.36 for resized pods, pod groups and jobs on a real server.
import { expect, test } from "@jest/globals";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running), {
  flags: {
    "emulated-release": "1.36",
    "runtime-config": { "scheduling.orch.io/v1alpha2": "true" },
    "feature-gates": { GenericWorkload: true, WorkloadAwarePreemption: true },
  },
});

const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };
const PODS = "/api/v1/namespaces/default/pods";
const SCHEDULING = "/apis/scheduling.orch.io/v1alpha2/namespaces/default";

/** Returns the code and the message of an answer. */
const told = ({ code, json }: { readonly code: number; readonly json: { readonly message?: string } }) =>
  json.message === undefined ? code : `${code} ${json.message}`;

test("a resize beyond the node, or with a feature that the node lacks, is refused", async () => {
  const patch = (path: string, object: object, subresource = "") =>
    admin.ask("PATCH", `${path}${subresource}`, { body: object, headers: STRATEGIC });
  const resize = (cpu: string) =>
    patch(`${PODS}/bound`, { spec: { containers: [{ name: "c", resources: { requests: { cpu } } }] } }, "/resize");
  await admin.post("/api/v1/nodes", { metadata: { name: "n" } });
  await patch("/api/v1/nodes/n/status", { status: { allocatable: { cpu: "1", memory: "1Gi" } } });
  const container = { name: "c", image: "i", resources: { requests: { cpu: "100m" } } };
  const initContainers = [{ ...container, name: "i" }];
  const pod = { metadata: { name: "bound" }, spec: { nodeName: "n", containers: [container], initContainers } };
  expect(told(await admin.post(PODS, pod))).toBe(201);
  expect(told(await resize("1"))).toBe(200);
  const refused = await resize("1001m");
  const text = "node didn't have enough allocatable resources: cpu, requested: 1001, allocatable: 1000";
  expect(told(refused)).toBe(`403 pods "bound" is forbidden: ${text}`);
  expect(refused.json).toMatchObject({ details: { causes: [{ reason: "NodeCapacity" }] } });
  const init = { initContainers: [{ name: "i", resources: { requests: { cpu: "200m" } } }] };
  const feature = "InPlacePodVerticalScalingInitContainers";
  expect(told(await patch(`${PODS}/bound`, { spec: init }, "/resize"))).toBe(
    `403 pods "bound" is forbidden: pod update requires features ${feature} which are not available on node "n"`,
  );
});

test("a pod group needs its workload and gets a finalizer, and keeps the parallelism of its job", async () => {
  const gang = { schedulingPolicy: { gang: { minCount: 2 } } };
  const group = (name: string, template: string) => ({
    metadata: { name },
    spec: { ...gang, podGroupTemplateRef: { workload: { workloadName: "w", podGroupTemplateName: template } } },
  });
  expect(told(await admin.post(`${SCHEDULING}/podgroups`, group("g", "a")))).toBe(
    '403 podgroups.scheduling.orch.io "g" is forbidden: PodGroup rejected: Workload "w" not found',
  );
  const workload = { metadata: { name: "w" }, spec: { podGroupTemplates: [{ name: "a", ...gang }] } };
  expect(told(await admin.post(`${SCHEDULING}/workloads`, workload))).toBe(201);
  expect(told(await admin.post(`${SCHEDULING}/podgroups`, group("g", "b")))).toBe(
    '403 podgroups.scheduling.orch.io "g" is forbidden: PodGroup rejected: PodGroupTemplate "b" not found in Workload "w"',
  );
  const made = await admin.post(`${SCHEDULING}/podgroups`, group("g", "a"));
  expect(told(made)).toBe(201);
  expect(made.json).toMatchObject({ metadata: { finalizers: ["scheduling.orch.io/podgroup-protection"] } });
  const template = {
    spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never", schedulingGroup: { podGroupName: "g" } },
  };
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  expect(told(await admin.post(jobs, { metadata: { name: "j" }, spec: { parallelism: 2, template } }))).toBe(201);
  const change = { spec: { parallelism: 3 } };
  expect(told(await admin.ask("PATCH", `${jobs}/j`, { body: change, headers: STRATEGIC }))).toBe(
    '403 jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "g"',
  );
});

test.each<[object, string | object]>([
  [
    { priorityClassName: "none" },
    '403 podgroups.scheduling.orch.io "p" is forbidden: no PriorityClass with name none was found',
  ],
  [
    { priority: 7 },
    '403 podgroups.scheduling.orch.io "p" is forbidden: priority set in the pod group (7) must match the priority computed (0) based on the priority class set in the spec',
  ],
  [
    { disruptionMode: "Else" },
    '422 PodGroup.scheduling.orch.io "p" is invalid: spec.disruptionMode: Unsupported value: "Else": supported values: "Pod", "PodGroup"',
  ],
  [{ disruptionMode: "PodGroup" }, { disruptionMode: "PodGroup", priority: 0 }],
])("a pod group with %j is answered with %j", async (more, expected) => {
  const group = { metadata: { name: "p" }, spec: { schedulingPolicy: { basic: {} }, ...more } };
  const answer = await admin.post(`${SCHEDULING}/podgroups?dryRun=All`, group);
  if (typeof expected === "object") expect(answer.json).toMatchObject({ spec: expected });
  else expect(told(answer)).toBe(expected);
});
