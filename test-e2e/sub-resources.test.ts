// Subresources: evictions against two replicas, and with kubectl.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import type { ApiServer } from "./harness/api-server";
import { startReplicas } from "./harness/api-server";
import { expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually, sleep } from "./harness/eventually";
import { type Kubectl, MORE_CLIENTS, startWithKubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

const MERGE = { "content-type": "application/merge-patch+json" };

describe("evictions on two replicas", () => {
  const PODS = 24;
  const MINIMUM = 9;
  const EVICTORS = 20;
  let replicas: [ApiServer, ApiServer];

  beforeAll(async () => {
    const etcd = await startEtcd(workplace);
    replicas = await startReplicas(workplace, etcd.endpoints);
  }, 60_000);

  test("never take a budget below its minimum, however many evict at once", async () => {
    await freshNamespace(replicas[0].admin, "evicted");
    const pods = "/api/v1/namespaces/evicted/pods";
    const budget = "/apis/policy/v1/namespaces/evicted/poddisruptionbudgets/web";
    const { admin } = replicas[0];
    await inParallel(PODS, 8, async (nth) => {
      await expectStatus(201, admin.post(pods, pod(`web-${nth}`)));
      await expectStatus(200, patch(admin, `${pods}/web-${nth}/status`, { status: RUNNING }));
    });
    await expectStatus(
      201,
      admin.post(budget.slice(0, budget.lastIndexOf("/")), {
        metadata: { name: "web" },
        spec: { minAvailable: MINIMUM, selector: { matchLabels: { app: "web" } } },
      }),
    );

    let left = PODS;
    let fewest = PODS;
    /**
     * Acts as the disruption controller: counts remaining pods, confirms evicted ones and sets the allowed disruptions.
     */
    const keepBudget = async () => {
      const found = await expectStatus(200, admin.get(budget));
      const names = ((await expectStatus(200, replicas[1].admin.get(pods))).items ?? []).map(
        ({ metadata }) => metadata.name,
      );
      left = names.length;
      fewest = Math.min(fewest, left);
      const { disruptedPods = {} } = (found["status"] ?? {}) as { disruptedPods?: Record<string, string> };
      const unconfirmed = Object.fromEntries(Object.entries(disruptedPods).filter(([name]) => names.includes(name)));
      const healthy = left - Object.keys(unconfirmed).length;
      const status = {
        observedGeneration: 1,
        disruptedPods: unconfirmed,
        currentHealthy: healthy,
        desiredHealthy: MINIMUM,
        expectedPods: left,
        // A few at a time, so that evictions and budget updates interleave.
        disruptionsAllowed: Math.min(3, Math.max(0, healthy - MINIMUM)),
      };
      const answer = await admin.put(`${budget}/status`, { ...found, status });
      if (answer.status !== 409) expect(answer.status).toBe(200);
    };
    await keepBudget();

    const codes = new Set<number>();
    let evicting = true;
    const evictor = async (nth: number) => {
      const client = replicas[nth % 2 === 0 ? 0 : 1].admin;
      for (let turn = nth; evicting; turn += 1) {
        const name = `web-${turn % PODS}`;
        const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
        codes.add((await client.post(`${pods}/${name}/eviction`, eviction)).status);
      }
    };
    const evictors = Array.from({ length: EVICTORS }, (_, nth) => evictor(nth));
    try {
      await eventually("all that can be spared are gone", async () => {
        await keepBudget();
        return left === MINIMUM;
      });
      // No further eviction succeeds.
      for (let more = 0; more < 20; more += 1) {
        await keepBudget();
        await sleep(10);
      }
    } finally {
      evicting = false;
      await Promise.all(evictors);
    }
    await keepBudget();
    expect([left, fewest]).toEqual([MINIMUM, MINIMUM]);
    expect([...codes].sort()).toEqual([201, 404, 429]);
  }, 60_000);
});

const RUNNING = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };

const pod = (name: string) => ({
  metadata: { name, labels: { app: "web" } },
  spec: { nodeName: "node-1", terminationGracePeriodSeconds: 0, containers: [{ name: "c", image: "i" }] },
});

const patch = (client: ApiServer["admin"], path: string, body: object) =>
  client.send(path, { method: "PATCH", headers: MERGE, body: JSON.stringify(body) });

describe("the command-line client", () => {
  let server: ApiServer;
  let client: Kubectl;

  beforeAll(async () => {
    ({ server, client } = await startWithKubectl(workplace, { name: "for-kubectl" }));
  }, 60_000);

  const kubectl = (...args: readonly string[]): Promise<string> => client.print(args);

  /** Newer clients that are named. */
  async function newerClients(): Promise<readonly Kubectl[]> {
    const found: Kubectl[] = [];
    for (const program of MORE_CLIENTS) {
      const newer = client.of(program);
      const { clientVersion } = JSON.parse(await newer.print(["version", "--client", "-o", "json"]));
      if (Number.parseInt(clientVersion.minor, 10) > 20) found.push(newer);
    }
    return found;
  }

  test("drains a node as far as budgets allow", async () => {
    const { admin } = server;
    const pods = "/api/v1/namespaces/default/pods";
    await expectStatus(201, admin.post("/api/v1/nodes", { metadata: { name: "node-1" } }));
    for (const name of ["web-0", "web-1"]) {
      await expectStatus(201, admin.post(pods, pod(name)));
      await expectStatus(200, patch(admin, `${pods}/${name}/status`, { status: RUNNING }));
    }
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const selector = { matchLabels: { app: "web" } };
    await expectStatus(201, admin.post(budgets, { metadata: { name: "web" }, spec: { minAvailable: 1, selector } }));
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
    };
    await expectStatus(200, patch(admin, `${budgets}/web/status`, { status }));

    expect(await kubectl("cordon", "node-1")).toBe("node/node-1 cordoned\n");
    expect(await kubectl("get", "nodes")).toContain("SchedulingDisabled");
    expect(await kubectl("taint", "nodes", "node-1", "key=value:NoSchedule")).toBe("node/node-1 tainted\n");
    const drain = ["drain", "node-1", "--force"];
    expect(await kubectl(...drain, "--dry-run=client")).toMatch(/node-1 drained \(dry run\)/);
    // Clients up to 1.20 look for pods in the published schema without their kind, and fail with every server.
    for (const newer of await newerClients()) {
      const rehearsal = await newer.print([...drain, "--dry-run=server"]);
      for (const name of ["web-0", "web-1"]) {
        expect(rehearsal).toContain(`evicting pod default/${name} (server dry run)`);
      }
      expect(rehearsal).toContain("node/node-1 drained (server dry run)");
    }
    expect((await kubectl("get", "pods", "-o", "name")).split("\n")).toHaveLength(3);

    await expect(kubectl(...drain, "--timeout=4s")).rejects.toThrow(/violate the pod's disruption budget/);
    expect((await kubectl("get", "pods", "-o", "name")).split("\n")).toHaveLength(2);
    await expectStatus(200, patch(admin, `${budgets}/web/status`, { status }));
    expect(await kubectl(...drain, "--timeout=20s")).toContain("node/node-1 evicted");
    expect(await kubectl("get", "pods", "-o", "name")).toBe("");
    expect(await kubectl("uncordon", "node-1")).toBe("node/node-1 uncordoned\n");
  }, 60_000);

  test("approves and denies certificate requests", async () => {
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    const manifest = parse(readFileSync(join(__dirname, "manifests/certificatesigningrequest.yaml"), "utf8"));
    const { request } = manifest.spec as { readonly request: string };
    for (const name of ["good", "bad"]) {
      const spec = { request, signerName: "example.com/signer", usages: ["digital signature"] };
      await expectStatus(201, server.admin.post(path, { metadata: { name }, spec }));
    }
    expect(await kubectl("certificate", "approve", "good")).toContain("approved");
    expect(await kubectl("certificate", "deny", "bad")).toContain("denied");
    const printed = await kubectl("get", "csr");
    expect(printed).toMatch(/^good .* Approved$/m);
    expect(printed).toMatch(/^bad .* Denied$/m);
  });

  test("reads how components fare, as a table", async () => {
    expect(await kubectl("get", "componentstatuses")).toMatch(
      /^NAME +STATUS +MESSAGE +ERROR\netcd-0 +Healthy +ok +\n$/,
    );
    expect(await kubectl("get", "cs", "etcd-0", "-o", "jsonpath={.conditions[0].type}")).toBe("Healthy");
    await expect(kubectl("get", "cs", "nothing")).rejects.toThrow(/Component not found: nothing/);
  });

  test("scales", async () => {
    await kubectl("create", "deployment", "scaled", "--image=i", "--replicas=1");
    expect(await kubectl("scale", "deployment", "scaled", "--current-replicas=1", "--replicas=4")).toContain(
      "scaled\n",
    );
    expect(await kubectl("get", "deployment", "scaled", "-o", "jsonpath={.spec.replicas}")).toBe("4");
  });
});
