// Coordinated leader election: the API server elects one of the LeaseCandidates as the holder of their Lease.
import { expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const GROUP = "/apis/coordination.k8s.io";
const LEASES = `${GROUP}/v1/namespaces/default/leases`;
const CANDIDATES = `${GROUP}/v1beta1/namespaces/default/leasecandidates`;
const TIMEOUT_MS = 30_000;

interface LeaseView {
  readonly spec?: { readonly holderIdentity?: string; readonly preferredHolder?: string; readonly strategy?: string };
}
interface CandidateView {
  readonly metadata: object;
  readonly spec: { readonly pingTime?: string; readonly renewTime: string };
}

const now = (): string => new Date().toISOString().replace("Z", "000Z");

async function eventually<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  for (const start = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() - start > TIMEOUT_MS) throw new Error(`still ${JSON.stringify(value)}`);
  }
}

test("the candidate of the oldest emulated version leads, and another one when it does not answer", async () => {
  const server = await startServer({
    vocabulary: "kubernetes",
    flags: {
      "emulated-release": "1.36",
      "feature-gates": { CoordinatedLeaderElection: true },
      "runtime-config": { "coordination.k8s.io/v1beta1": "true" },
    },
  });
  const client = new ApiClient(server, server.admin);
  const candidate = (name: string, emulationVersion: string, renewTime = now()) => ({
    metadata: { name },
    spec: {
      ...{ leaseName: "duty", binaryVersion: "1.36.0", emulationVersion, renewTime },
      strategy: "OldestEmulationVersion",
    },
  });
  const lease = async () => (await client.get(`${LEASES}/duty`)).json as unknown as LeaseView;
  const heldBy = (name: string) => eventually(lease, ({ spec }) => spec?.holderIdentity === name);

  expect((await client.post(CANDIDATES, candidate("newer", "1.36.0"))).code).toBe(201);
  expect((await heldBy("newer")).spec?.strategy).toBe("OldestEmulationVersion");
  expect((await client.post(CANDIDATES, candidate("older", "1.35.0"))).code).toBe(201);
  const asked = await eventually(lease, ({ spec }) => spec?.preferredHolder === "older");
  expect(asked.spec?.holderIdentity).toBe("newer");

  // The holder steps down; "older" has gone and answers no more, while "newer" answers.
  const old = (await client.get(`${CANDIDATES}/older`)).json as unknown as CandidateView;
  const silent = { ...old, spec: { ...old.spec, renewTime: "2020-01-01T00:00:00.000000Z" } };
  expect((await client.put(`${CANDIDATES}/older`, silent)).code).toBe(200);
  let answers = true;
  const answering = (async () => {
    for (; answers; await new Promise((resolve) => setTimeout(resolve, 200))) {
      const view = (await client.get(`${CANDIDATES}/newer`)).json as unknown as CandidateView;
      await client.put(`${CANDIDATES}/newer`, { ...view, spec: { ...view.spec, renewTime: now() } });
    }
  })();
  await client.put(`${LEASES}/duty`, { ...asked, spec: { ...asked.spec, holderIdentity: "" } });
  await heldBy("newer");
  answers = false;
  await answering;
  client.close();
  await server.stop();
}, 90_000);
