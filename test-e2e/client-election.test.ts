// Discovery, leader election and kubeconfig of the client library.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, LeaderElection, loadConnection, ResourceMapper } from "@orch/client";
import { eventually } from "./harness/eventually";
import { adminClient } from "./harness/in-process";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  server = await startServer();
  client = adminClient(server);
});
afterAll(async () => {
  client.close();
  await server.stop();
});

test("the configuration that a server hands out leads to it", async () => {
  const path = join(workplace.folder(), "admin.config");
  writeFileSync(path, server.kubeconfig);
  const configured = adminClient(server, { connection: loadConnection({ path }) });
  expect((await configured.resource(builtInTypes().namespaces).get("default")).metadata?.name).toBe("default");
  configured.close();
});

test("kinds and names lead to the server's resources", async () => {
  const mapper = new ResourceMapper(client);
  expect(await mapper.forKind("apps/v1", "Deployment")).toMatchObject({ resource: "deployments", namespaced: true });
  expect(await mapper.forGroupKind("", "Namespace")).toMatchObject({
    resource: "namespaces",
    version: "v1",
    namespaced: false,
  });
  for (const name of ["deploy", "deployment", "deployments", "Deployment", "deployments.apps", "deployments.v1.apps"]) {
    expect(await mapper.forName(name)).toMatchObject({ group: "apps", kind: "Deployment" });
  }
  expect((await mapper.forName("pods")).subresources).toContain("status");
  await expect(mapper.forName("nonsense")).rejects.toThrow('the server has no resource type "nonsense"');
  const configMaps = await mapper.forObject({ apiVersion: "v1", kind: "ConfigMap" });
  const created = await client
    .resource(configMaps)
    .namespace("default")
    .create({ metadata: { name: "untyped" } });
  expect(created["kind"]).toBe("ConfigMap");
});

test("one of several processes leads, and another takes over when it stops", async () => {
  // No candidate retries within the test unless its watch triggers it.
  const durations = { leaseDurationMs: 1_800_000, renewDeadlineMs: 1_200_000, retryPeriodMs: 600_000 };
  const leases = client.resource(builtInTypes().leases).namespace("default");
  const leading: string[] = [];
  const most = { atOnce: 0 };
  const processes = ["a", "b", "c"].map((identity) => {
    const stop = new AbortController();
    const lead = async (signal: AbortSignal) => {
      leading.push(identity);
      most.atOnce = Math.max(most.atOnce, leading.length);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      leading.splice(leading.indexOf(identity), 1);
    };
    const election = new LeaderElection({ leases, name: "duty", identity, durations, lead });
    return { identity, stop, ended: election.run(stop.signal) };
  });
  const led: string[] = [];
  while (led.length < processes.length) {
    const leader = await eventually("somebody leads", async () => leading[0]);
    led.push(leader);
    const process = processes.find(({ identity }) => identity === leader);
    process?.stop.abort();
    await process?.ended;
  }
  expect(led.sort()).toEqual(["a", "b", "c"]);
  expect(most.atOnce).toBe(1);
  expect((await leases.get("duty")).spec).toMatchObject({ holderIdentity: "", leaseTransitions: 2 });
});
