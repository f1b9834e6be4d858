// Cost of the controller manager in a cluster with many pods: memory, idle processor time, and the latency from a pod
// change to the endpoint slice of its service.
import { setTimeout as sleep } from "node:timers/promises";
import { vocabularyOf } from "@orch/schema";
import { cpuMicros, peakMebibytes, residentMebibytes } from "./process-figures.mjs";

const { groups } = vocabularyOf("orch");
const DISCOVERY = `/apis/${groups.discovery}/v1`;

const NAMESPACES = 20;
/** Number of objects in each namespace. */
const EACH = { pods: 1000, services: 100, quotas: 25, budgets: 25 };
const NODES = 200;
const ROLLED = 100;
const IDLE_MS = 20_000;
const POLL_MS = 2_000;
const SETTLE_ROUNDS = 150;

const numbers = (count) => Array.from({ length: count }, (_, at) => at);
const namespaceOf = (at) => `team-${at}`;
const inAll = (make) => numbers(NAMESPACES).flatMap((at) => make(namespaceOf(at), at));

export const managerScenario = {
  fresh: true,
  onDemand: true,
  async run(bench) {
    const { target } = bench.server;
    const post = (requests) => bench.load("post", { target, requests });
    await post(numbers(NODES).map((at) => ({ path: "/api/v1/nodes", body: { metadata: { name: `node-${at}` } } })));
    await post(inAll((name) => [{ path: "/api/v1/namespaces", body: { metadata: { name } } }]));
    await post(inAll((namespace) => [...services(namespace), ...quotas(namespace), ...budgets(namespace)]));
    await post(inAll((namespace, at) => numbers(EACH.pods).map((pod) => podRequest(namespace, at, pod))));
    await bench.load("send", { target, requests: inAll((namespace, at) => statusRequests(namespace, at)) });

    const manager = await bench.startManager(bench.server);
    const settledMs = await settled(bench, manager);
    const cpuBefore = cpuMicros(manager.pid);
    await sleep(IDLE_MS);
    const idleCpuPercent = (cpuMicros(manager.pid) - cpuBefore) / IDLE_MS / 10;
    const mebibytes = residentMebibytes(manager.pid);
    const pods = numbers(ROLLED).map((at) => ({ namespace: namespaceOf(at % NAMESPACES), name: podName(at * 7) }));
    const shown = await bench.load("untilShown", { target, slices: `${DISCOVERY}/endpointslices`, pods });
    const after = residentMebibytes(manager.pid);
    const peak = peakMebibytes(manager.pid);
    await bench.stop(manager);
    return {
      ours: { ...shown, mebibytes },
      notes: [
        `${bytesOfPod(await bench.fetch(`/api/v1/namespaces/${namespaceOf(0)}/pods/${podName(0)}`))} bytes a pod as it is served`,
        `${Math.round(settledMs / 1000)} s from the start until all services have their endpoints`,
        `${idleCpuPercent.toFixed(2)} % of a core while nothing happens`,
        `${Math.round(mebibytes)} MiB then, ${Math.round(after)} after ${ROLLED} changes, ${Math.round(peak)} at most`,
      ],
    };
  },
};

const bytesOfPod = ({ body }) => body.length;
const podName = (at) => `pod-${at}`;
const serviceName = (at) => `service-${at}`;

const services = (namespace) =>
  numbers(EACH.services).map((at) => ({
    path: `/api/v1/namespaces/${namespace}/services`,
    body: {
      metadata: { name: serviceName(at), labels: { team: namespace } },
      // A headless service, because the address range is limited.
      spec: {
        clusterIP: "None",
        selector: { app: `app-${at}` },
        ports: [{ name: "http", port: 80, targetPort: "http" }],
      },
    },
  }));

const quotas = (namespace) =>
  numbers(EACH.quotas).map((at) => ({
    path: `/api/v1/namespaces/${namespace}/resourcequotas`,
    body: {
      metadata: { name: `quota-${at}` },
      spec: { hard: { pods: "100000", "requests.cpu": "100k", "limits.memory": "1000Ti", services: "10000" } },
    },
  }));

const budgets = (namespace) =>
  numbers(EACH.budgets).map((at) => ({
    path: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
    body: {
      metadata: { name: `budget-${at}` },
      spec: { minAvailable: 5, selector: { matchLabels: { app: `app-${at}` } } },
    },
  }));

/** Creates a pod that is served as about 4 KB. */
function podRequest(namespace, ofNamespace, at) {
  const app = `app-${at % EACH.services}`;
  const env = numbers(24).map((each) => ({ name: `VARIABLE_${each}`, value: `value ${each} of ${app}` }));
  const container = {
    name: "main",
    image: "registry.example/team/program:1.2.3",
    args: ["--listen=:8080", "--verbose"],
    env,
    ports: [{ name: "http", containerPort: 8080 }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    livenessProbe: { httpGet: { path: "/live", port: "http" } },
  };
  return {
    path: `/api/v1/namespaces/${namespace}/pods`,
    body: {
      metadata: {
        name: podName(at),
        labels: { app, team: namespace, "pod-template-hash": "5d4f8c7b9" },
        annotations: { "bench.example/purpose": "measured" },
      },
      spec: { nodeName: `node-${(ofNamespace * EACH.pods + at) % NODES}`, containers: [container] },
    },
  };
}

const statusRequests = (namespace, ofNamespace) =>
  numbers(EACH.pods).map((at) => {
    const ip = `10.${ofNamespace}.${at >> 8}.${at & 255}`;
    const status = {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" }],
    };
    const path = `/api/v1/namespaces/${namespace}/pods/${podName(at)}/status`;
    return { method: "PATCH", path, body: { status }, type: "application/merge-patch+json" };
  });

/** Waits until every service has endpoints and slices and the manager is idle. @returns the duration */
async function settled(bench, manager) {
  const startedAt = performance.now();
  const wanted = NAMESPACES * EACH.services;
  const count = async (path) => {
    const { body } = await bench.fetch(`${path}?limit=1`);
    const { items, metadata } = JSON.parse(body);
    return items.length + (metadata.remainingItemCount ?? 0);
  };
  let cpu = 0;
  for (let round = 0; round < SETTLE_ROUNDS; round += 1) {
    await sleep(POLL_MS);
    const now = cpuMicros(manager.pid);
    const isIdle = now - cpu < POLL_MS * 20;
    cpu = now;
    const slices = await count(`${DISCOVERY}/endpointslices`);
    if (isIdle && slices >= wanted && (await count("/api/v1/endpoints")) >= wanted)
      return performance.now() - startedAt;
  }
  throw new Error("the manager has not come to rest");
}
