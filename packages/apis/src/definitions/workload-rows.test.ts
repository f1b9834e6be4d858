import { expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import { rowOf } from "../testing/row";

const template = {
  metadata: { labels: { app: "web", tier: "front" } },
  spec: {
    initContainers: [{ name: "fetch", image: "curl:8" }],
    containers: [
      { name: "web", image: "nginx:1.25" },
      { name: "log", image: "fluentd:1" },
    ],
  },
};
const containers = { Containers: "web,log", Images: "nginx:1.25,fluentd:1" };
const selector = {
  matchLabels: { tier: "front", app: "web" },
  matchExpressions: [
    { key: "zone", operator: "NotIn", values: ["b", "a"] },
    { key: "canary", operator: "DoesNotExist" },
    { key: "env", operator: "In", values: ["test", "prod"] },
    { key: "owner", operator: "Exists" },
  ],
};
const selectorText = "app=web,!canary,env in (prod,test),owner,tier=front,zone notin (a,b)";
const ages = { Name: "it", Age: "60m" };

type Case = readonly [behaviour: string, kind: string, object: JsonObject, row: Readonly<Record<string, JsonValue>>];

test.each<Case>([
  [
    "pods by how far they are",
    "Deployment",
    {
      spec: { replicas: 3, selector, template },
      status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
    },
    { ...ages, Ready: "1/3", "Up-to-date": 2, Available: 1, ...containers, Selector: selectorText },
  ],
  [
    "nothing done yet",
    "Deployment",
    { spec: { replicas: 2, template }, status: {} },
    { Ready: "0/2", "Up-to-date": 0, Available: 0, Selector: "" },
  ],
  [
    "nodes by how far they are",
    "DaemonSet",
    {
      spec: {
        selector: { matchLabels: { app: "agent" } },
        template: { spec: { ...template.spec, nodeSelector: { os: "linux", arch: "arm64" } } },
      },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    },
    {
      ...ages,
      ...containers,
      Desired: 5,
      Current: 4,
      Ready: 3,
      "Up-to-date": 2,
      Available: 1,
      "Node Selector": "arch=arm64,os=linux",
      Selector: "app=agent",
    },
  ],
  ["any node", "DaemonSet", { spec: { template } }, { "Node Selector": "<none>", Selector: "<none>" }],
  [
    "the replicas of a set",
    "ReplicaSet",
    { spec: { replicas: 3, selector, template }, status: { replicas: 2, readyReplicas: 1 } },
    { ...ages, Desired: 3, Current: 2, Ready: 1, ...containers, Selector: selectorText },
  ],
  [
    "a selector that nobody understands",
    "ReplicaSet",
    { spec: { selector: { matchExpressions: [{ key: "app", operator: "Like", values: ["w*"] }] } } },
    { Selector: "<error>" },
  ],
  ["a selector of everything", "ReplicaSet", { spec: { selector: {} } }, { Selector: "<none>" }],
  [
    "the replicas of a controller, chosen by labels alone",
    "ReplicationController",
    { spec: { replicas: 3, selector: { b: "2", a: "1" }, template }, status: { replicas: 2, readyReplicas: 2 } },
    { ...ages, Desired: 3, Current: 2, Ready: 2, ...containers, Selector: "a=1,b=2" },
  ],
  [
    "the pods of a stateful set",
    "StatefulSet",
    { spec: { replicas: 3, template }, status: { readyReplicas: 2 } },
    { ...ages, Ready: "2/3", ...containers },
  ],
  [
    "whose revision it is",
    "ControllerRevision",
    {
      metadata: {
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "other" },
          { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", controller: true },
        ],
      },
      revision: 7,
    },
    { ...ages, Controller: "statefulset.apps/web", Revision: 7 },
  ],
  [
    "an owner of the core group",
    "ControllerRevision",
    { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n1", controller: true }] } },
    { Controller: "node/n1", Revision: 0 },
  ],
  ["nobody's revision", "ControllerRevision", { revision: 1 }, { Controller: "<none>" }],
  [
    "a template by itself",
    "PodTemplate",
    { template },
    { Name: "it", ...containers, "Pod Labels": "app=web,tier=front" },
  ],

  [
    "a job under way",
    "Job",
    {
      spec: { completions: 5, selector: { matchLabels: { job: "x" } }, template },
      status: { succeeded: 2, startTime: "2024-05-01T11:55:30Z" },
    },
    { ...ages, Completions: "2/5", Duration: "4m30s", ...containers, Selector: "job=x" },
  ],
  [
    "a job that is done",
    "Job",
    {
      spec: { completions: 1 },
      status: { succeeded: 1, startTime: "2024-05-01T11:00:00Z", completionTime: "2024-05-01T11:00:07Z" },
    },
    { Completions: "1/1", Duration: "7s" },
  ],
  ["a job that has not begun", "Job", { spec: { completions: 1 }, status: {} }, { Completions: "0/1", Duration: "" }],
  [
    "a job that ends with any of its pods",
    "Job",
    { spec: { parallelism: 4 }, status: { succeeded: 1 } },
    { Completions: "1/1 of 4" },
  ],
  ["a job of one pod", "Job", { spec: { parallelism: 1 } }, { Completions: "0/1" }],

  [
    "a cron job at work",
    "CronJob",
    {
      spec: { schedule: "*/5 * * * *", suspend: false, jobTemplate: { spec: { template } } },
      status: { active: [{ name: "a" }, { name: "b" }], lastScheduleTime: "2024-05-01T11:59:00Z" },
    },
    {
      ...ages,
      ...containers,
      Schedule: "*/5 * * * *",
      Suspend: "False",
      Active: 2,
      "Last Schedule": "60s",
      Selector: "<none>",
    },
  ],
  [
    "a cron job that rests",
    "CronJob",
    {
      spec: {
        schedule: "@daily",
        suspend: true,
        jobTemplate: { spec: { template, selector: { matchLabels: { job: "x" } } } },
      },
      status: {},
    },
    { Suspend: "True", Active: 0, "Last Schedule": "<none>", Selector: "job=x" },
  ],
  ["a cron job that does not say", "CronJob", { spec: { schedule: "@daily" } }, { Suspend: "<unset>" }],
])("%s: a row of %s", (_behaviour, kind, object, row) => expect(rowOf(kind, object)).toMatchObject(row));

const resource = (kind: string, target: JsonObject, current?: JsonObject) => {
  const field = kind.charAt(0).toLowerCase() + kind.slice(1);
  return {
    spec: { type: kind, [field]: { name: "it", target } },
    status: { type: kind, [field]: { name: "it", ...(current === undefined ? {} : { current }) } },
  };
};

test.each<readonly [targets: string, metrics: readonly { spec: JsonObject; status?: JsonObject }[]]>([
  ["<none>", []],
  ["40%/80%", [resource("Resource", { averageUtilization: 80 }, { averageUtilization: 40 })]],
  ["<unknown>/80%", [resource("Resource", { averageUtilization: 80 })]],
  ["40%/<auto>", [resource("Resource", {}, { averageUtilization: 40 })]],
  ["150m/200m", [resource("Resource", { averageValue: "200m" }, { averageValue: "150m" })]],
  ["40%/80%", [resource("ContainerResource", { averageUtilization: 80 }, { averageUtilization: 40 })]],
  ["<unknown>/1Gi", [resource("ContainerResource", { averageValue: "1Gi" })]],
  ["5/10", [resource("Pods", { averageValue: "10" }, { averageValue: "5" })]],
  ["5/10", [resource("Object", { value: "10" }, { value: "5" })]],
  ["5/10 (avg)", [resource("Object", { averageValue: "10" }, { averageValue: "5" })]],
  ["<unknown>/10", [resource("External", { value: "10" })]],
  ["<unknown>/10 (avg)", [resource("External", { averageValue: "10" })]],
  ["<unknown type>", [resource("Guess", { value: "10" })]],
  ["<unknown>/10", [{ spec: resource("Pods", { averageValue: "10" }).spec }]],
  [
    "1/2, 3/4",
    [
      resource("Pods", { averageValue: "2" }, { averageValue: "1" }),
      resource("Object", { value: "4" }, { value: "3" }),
    ],
  ],
  [
    "1/2, 3/4 + 2 more...",
    [
      resource("Pods", { averageValue: "2" }, { averageValue: "1" }),
      resource("Object", { value: "4" }, { value: "3" }),
      resource("Object", { value: "6" }),
      resource("Object", { value: "8" }),
    ],
  ],
])("an autoscaler's targets: %s", (targets, metrics) => {
  const object = {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 9,
      metrics: metrics.map(({ spec }) => spec),
    },
    status: { currentReplicas: 3, currentMetrics: metrics.flatMap(({ status }) => status ?? []) },
  };
  expect(rowOf("HorizontalPodAutoscaler", object)).toEqual({
    ...ages,
    Reference: "Deployment/web",
    Targets: targets,
    MinPods: "2",
    MaxPods: 9,
    Replicas: 3,
  });
});
