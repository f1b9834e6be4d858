// The fleet of `make cluster`: three etcd members, two API servers, a load balancer; any single member may fail.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { configMap, configMapsPath, expectStatus, freshNamespace } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { Fleet, TOPOLOGY } from "./harness/fleet";
import { ApiClient } from "./harness/https-client";
import { repository, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

test("docker-compose.yml has the members of the topology", () => {
  const text = readFileSync(join(repository, "docker-compose.yml"), "utf8");
  const services = Object.keys((parse(text, { merge: true }) as { services: object }).services);
  const { etcd, apiServers, controllerManagers, loadBalancer } = TOPOLOGY;
  // Replicas of a service have no names of their own.
  const members = [...etcd, ...apiServers, ...controllerManagers, loadBalancer].map(({ name }) => name);
  const names = members.map((name) => (name.startsWith("etcd") ? name : name.replace(/-\d+$/, "")));
  expect(services.sort()).toEqual([...new Set([...names, "certificates", "cluster-info", "prometheus"])].sort());
});

test("the fleet starts, serves through the load balancer while any one process dies, and stops as a whole", async () => {
  const fleet = await Fleet.start(workplace);
  try {
    await expectToSurvive(fleet);
  } finally {
    expect(await fleet.stop()).toBe(0);
  }
}, 180_000);

async function expectToSurvive(fleet: Fleet): Promise<void> {
  const credentials = fleet.credentials("admin");
  const fresh = () => new ApiClient(fleet.url, credentials);
  await expectStatus(201, fresh().post(configMapsPath(), configMap("kept")));

  const link = fleet.explorerLink;
  const [page = "", token = ""] = link.split("#token=");
  expect(fleet.program.logTail).toContain("explorer.url");
  expect(fleet.program.logTail).not.toContain(token);
  expect(page).toBe(`https://127.0.0.1:${fleet.topology.apiServers[0]?.port}/ui`);
  const explorer = new ApiClient(new URL(page).origin, { ca: credentials.ca, token });
  await expectStatus(200, explorer.get("/api/v1/secrets"));

  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await expectStatus(201, fresh().post(accounts, { metadata: { name: "robot" } }));
  const request = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} };
  const asked = await expectStatus(201, fresh().post(`${accounts}/robot/token`, request));
  const { token: robot } = (asked as unknown as { status: { token: string } }).status;
  for (const { port } of fleet.topology.apiServers) {
    const at = new ApiClient(`https://127.0.0.1:${port}`, { ca: credentials.ca, token: robot });
    await expectStatus(200, at.get("/openid/v1/jwks"));
  }

  const maps = await freshNamespace(fresh(), "short-lived");
  await expectStatus(201, fresh().post(maps, configMap("content")));
  await expectStatus(200, fresh().delete("/api/v1/namespaces/short-lived"));
  const gone = async () => (await fresh().get("/api/v1/namespaces/short-lived")).status === 404;
  await eventually("a controller manager ended the namespace", gone);

  // Joining machines receive the load balancer's address before they are authenticated.
  const stranger = new ApiClient(fleet.url, { ca: credentials.ca });
  const map = await expectStatus(200, stranger.get("/api/v1/namespaces/orch-public/configmaps/cluster-info"));
  expect((map as unknown as { data: Record<string, string> }).data["kubeconfig"]).toContain(`server: ${fleet.url}\n`);

  await expectAgentClientToOpenNothing(fleet);

  const victims = ["apiserver-1", "etcd-2", "apiserver-2"];
  for (const [index, name] of victims.entries()) {
    process.kill(fleet.pidOf(name), "SIGKILL");
    const write = () => fresh().post(configMapsPath(), configMap(`after-${index}`), { timeoutMs: 5000 });
    await eventually(
      `a write after ${name} died`,
      () =>
        write().then(
          ({ status }) => [201, 409].includes(status),
          () => false,
        ),
      {
        timeoutMs: 15_000,
      },
    );
    await eventually(`${name} is started again`, async () => fleet.program.logTail.includes(`${name} ended (SIGKILL)`));
    await eventually("the fleet is whole", () => allReady(fleet, credentials), { timeoutMs: 30_000 });
  }
  const names = ((await expectStatus(200, fresh().get(configMapsPath()))).items ?? []).map(
    (item) => item.metadata.name,
  );
  expect(names).toEqual(expect.arrayContaining(["after-0", "after-1", "after-2", "kept"]));
}

async function allReady({ topology }: Fleet, credentials: ApiClient["credentials"]): Promise<boolean> {
  const ready = ({ port }: { port: number }) =>
    new ApiClient(`https://127.0.0.1:${port}`, credentials).get("/readyz", { timeoutMs: 3000 }).then(
      ({ status }) => status === 200,
      () => false,
    );
  return (await Promise.all(topology.apiServers.map(ready))).every(Boolean);
}

/**
 * A node declares its own kubelet address: the client certificate of the API servers must not be accepted by any member
 * of the fleet.
 */
async function expectAgentClientToOpenNothing(fleet: Fleet): Promise<void> {
  const admin = new ApiClient(fleet.url, fleet.credentials("admin"));
  const { apiServers, controllerManagers, etcd, loadBalancer } = fleet.topology;
  const places = [
    { Port: loadBalancer.port, path: "api/v1/secrets", expected: [401] },
    ...apiServers.map(({ port }) => ({ Port: port, path: "api/v1/secrets", expected: [400, 401] })),
    ...controllerManagers.map(({ port }) => ({ Port: port, path: "configz", expected: [401, 403] })),
    // etcd aborts the handshake.
    ...etcd.map(({ clientPort }) => ({ Port: clientPort, path: "version", expected: [503] })),
  ];
  for (const { Port, path, expected } of places) {
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port } },
    };
    await expectStatus(201, admin.post("/api/v1/nodes", { metadata: { name: "sly" }, status }));
    const answer = await admin.get(`/api/v1/nodes/sly/proxy/${path}`);
    expect([Port, expected]).toEqual([Port, expect.arrayContaining([answer.status])]);
    await expectStatus(200, admin.delete("/api/v1/nodes/sly"));
  }
}
