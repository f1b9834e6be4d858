import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { podColumns } from "./pod-columns";

const at = { nowMs: Date.parse("2024-05-01T12:00:00Z") };
const cell = (pod: JsonObject, name: string) => podColumns.find((each) => each.name === name)?.cell(pod, at);

const started = { startedAt: "2024-05-01T11:00:00Z" };
const running = { state: { running: started }, ready: true, restartCount: 1 };
const unready = { state: { running: started }, ready: false, restartCount: 2 };
const waiting = (reason: string) => ({ state: { waiting: { reason } }, ready: false, restartCount: 0 });
const ended = (exitCode: number, how: JsonObject = {}, restartCount = 0) => ({
  state: { terminated: { exitCode, ...how } },
  ready: false,
  restartCount,
});
const done = ended(0, { reason: "Completed" });
const READY = { conditions: [{ type: "Ready", status: "True" }] };
const NOT_READY = { conditions: [{ type: "Ready", status: "False" }] };

const pod = (
  status: JsonObject,
  containers: { inits?: JsonObject[]; mains?: JsonObject[] } = {},
  metadata: JsonObject = {},
): JsonObject => {
  const { inits = [], mains = [] } = containers;
  return {
    metadata: { name: "web", creationTimestamp: "2024-05-01T11:00:00Z", ...metadata },
    spec: {
      containers: mains.map((_, place) => ({ name: `main-${place}` })),
      initContainers: inits.map((_, place) => ({ name: `init-${place}` })),
    },
    status: { ...status, initContainerStatuses: inits, containerStatuses: mains },
  };
};

const pending = { phase: "Pending" };
const up = { phase: "Running" };
const deleted = { deletionTimestamp: "2024-05-01T11:59:00Z" };

describe("the status, ready containers and restarts of a pod", () => {
  test.each<[behaviour: string, object: JsonObject, status: string, ready: string, restarts: number]>([
    ["its phase where nothing else is known", pod(pending, { mains: [waiting("")] }), "Pending", "0/1", 0],
    ["the pod's reason before its phase", pod({ phase: "Failed", reason: "Evicted" }), "Evicted", "0/0", 0],
    ["containers that run", pod(up, { mains: [running, running] }), "Running", "2/2", 2],
    ["a container that runs but is not ready", pod(up, { mains: [running, unready] }), "Running", "1/2", 3],
    [
      "ready is not enough while it does not run",
      pod(up, { mains: [{ state: {}, ready: true, restartCount: 0 }] }),
      "Running",
      "0/1",
      0,
    ],
    [
      "what a container waits for",
      pod(pending, { mains: [waiting("ImagePullBackOff")] }),
      "ImagePullBackOff",
      "0/1",
      0,
    ],
    ["why a container ended", pod(up, { mains: [ended(1, { reason: "Error" }, 4)] }), "Error", "0/1", 4],
    ["by which signal", pod(up, { mains: [ended(137, { signal: 9 })] }), "Signal:9", "0/1", 0],
    ["with which code", pod(up, { mains: [ended(3)] }), "ExitCode:3", "0/1", 0],
    [
      "the first container that has something to say",
      pod(up, { mains: [running, ended(2), waiting("CrashLoopBackOff")] }),
      "ExitCode:2",
      "1/3",
      1,
    ],
    ["all done", pod({ phase: "Succeeded" }, { mains: [done, done] }), "Completed", "0/2", 0],
    [
      "one done while another runs, in a ready pod",
      pod({ ...up, ...READY }, { mains: [done, running] }),
      "Running",
      "1/2",
      1,
    ],
    [
      "the same in one that is not ready",
      pod({ ...up, ...NOT_READY }, { mains: [done, running] }),
      "NotReady",
      "1/2",
      1,
    ],
    ["the same in one that does not say", pod(up, { mains: [done, running] }), "NotReady", "1/2", 1],

    [
      "preparation at work",
      pod(pending, { inits: [done, { ...running, ready: false }, waiting("")], mains: [running] }),
      "Init:1/3",
      "0/1",
      1,
    ],
    [
      "preparation yet to begin",
      pod(pending, { inits: [waiting("PodInitializing")], mains: [waiting("")] }),
      "Init:0/1",
      "0/1",
      0,
    ],
    ["preparation that waits", pod(pending, { inits: [waiting("ErrImagePull")] }), "Init:ErrImagePull", "0/0", 0],
    ["preparation that failed", pod(pending, { inits: [ended(1, { reason: "Error" }, 3)] }), "Init:Error", "0/0", 3],
    ["preparation that was killed", pod(pending, { inits: [ended(137, { signal: 9 })] }), "Init:Signal:9", "0/0", 0],
    ["preparation that ended with a code", pod(pending, { inits: [ended(2)] }), "Init:ExitCode:2", "0/0", 0],
    [
      "restarts up to the step at work",
      pod(pending, { inits: [ended(0, {}, 2), { ...unready, restartCount: 5 }, ended(1, {}, 9)], mains: [running] }),
      "Init:1/3",
      "0/1",
      7,
    ],
    [
      "no restarts of preparation once it is over",
      pod(up, { inits: [ended(0, {}, 2)], mains: [running] }),
      "Running",
      "1/1",
      1,
    ],

    ["on its way out", pod(up, { mains: [running] }, deleted), "Terminating", "1/1", 1],
    ["on its way out while it is prepared", pod(pending, { inits: [unready] }, deleted), "Terminating", "0/0", 2],
    ["out of reach", pod({ ...up, reason: "NodeLost" }, { mains: [running] }, deleted), "Unknown", "1/1", 1],
    ["a lost node alone", pod({ ...up, reason: "NodeLost" }, { mains: [running] }), "NodeLost", "1/1", 1],
  ])("%s", (_behaviour, object, status, ready, restarts) => {
    expect([cell(object, "Status"), cell(object, "Ready"), cell(object, "Restarts")]).toEqual([
      status,
      ready,
      restarts,
    ]);
  });
});

test("where a pod is", () => {
  const placed = {
    metadata: { name: "web", creationTimestamp: "2024-05-01T11:00:00Z" },
    spec: {
      nodeName: "node-1",
      readinessGates: [{ conditionType: "lb" }, { conditionType: "dns" }, { conditionType: "db" }],
    },
    status: {
      podIPs: [{ ip: "10.0.0.5" }, { ip: "fd00::5" }],
      nominatedNodeName: "node-2",
      conditions: [
        { type: "lb", status: "True" },
        { type: "dns", status: "False" },
        { type: "dns", status: "True" },
      ],
    },
  };
  const wide = ["Age", "IP", "Node", "Nominated Node", "Readiness Gates"];
  expect(wide.map((name) => cell(placed, name))).toEqual(["60m", "10.0.0.5", "node-1", "node-2", "1/3"]);
  // A kubelet from before `podIPs` sets `podIP` only.
  expect(cell({ status: { podIP: "10.0.0.6" } }, "IP")).toBe("10.0.0.6");
  expect(wide.map((name) => cell({}, name))).toEqual(["<unknown>", "<none>", "<none>", "<none>", "<none>"]);
});
