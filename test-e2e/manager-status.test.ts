// Status endpoints of a controller manager and their authorization, with and without the API server.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers } from "./harness/controller-manager";
import { eventually } from "./harness/eventually";
import { freePorts } from "./harness/free-port";
import { ApiClient } from "./harness/https-client";
import { type Program, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let managers: ControllerManagers;
let ports: number[];
let authorityFile: string;
let alone: Program;

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
  managers = new ControllerManagers(workplace, server);
  ports = await freePorts(2);
  const common = ["--bind-address=127.0.0.1", "--controllers=namespace,-nodeipam"];
  managers.start("asks", [
    ...common,
    `--secure-port=${ports[0]}`,
    `--authentication-kubeconfig=${managers.kubeconfig}`,
    `--authorization-kubeconfig=${managers.kubeconfig}`,
    "--authorization-webhook-cache-unauthorized-ttl=0s",
  ]);
  authorityFile = join(workplace.folder(), "clients.crt");
  const other = makeCertificate({ subject: { commonName: "other" }, usage: { kind: "authority" }, nowMs: Date.now() });
  writeFileSync(authorityFile, other.certificate);
  alone = managers.start("alone", [
    ...common,
    "--vocabulary=kubernetes",
    `--secure-port=${ports[1]}`,
    `--client-ca-file=${authorityFile}`,
  ]);
  for (const at of [0, 1])
    await eventually("it is there", async () => (await get(at, "/healthz").catch(() => 0)) === 200);
}, 60_000);

type Identity = { readonly cert?: Buffer; readonly key?: Buffer; readonly token?: string };

async function ask(at: number, path: string, identity: Identity = {}) {
  const client = new ApiClient(`https://127.0.0.1:${ports[at]}`, {
    ...identity,
    rejectUnauthorized: false,
  } as unknown as ApiClient["credentials"]);
  try {
    return await client.send(path);
  } finally {
    client.close();
  }
}
const get = async (at: number, path: string, identity: Identity = {}) => (await ask(at, path, identity)).status;

const user = (name: string): Identity => server.authority.user(name) as unknown as Identity;
const masters = (): Identity => server.admin.credentials as unknown as Identity;

test("health checks require no authorization", async () => {
  expect((await ask(0, "/healthz")).body).toBe("ok\n");
  const told = (await ask(0, "/healthz?verbose")).body;
  expect(told).toBe("[+]leaderElection ok\n[+]namespace ok\nhealthz check passed\n");
  expect((await ask(0, "/readyz?verbose&exclude=namespace")).body).toBe("[+]leaderElection ok\nreadyz check passed\n");
});

describe("where the API server is asked", () => {
  test.each(["/metrics", "/configz", "/debug/pprof/"])("%s is for those who may", async (path) => {
    expect([await get(0, path), await get(0, path, user("ann")), await get(0, path, masters())]).toEqual([
      403, 403, 200,
    ]);
  });

  test("an authorized user reads /metrics by certificate or token, and an invalid token is rejected", async () => {
    const roles = "/apis/rbac.authorization.orch.io/v1";
    const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
    await server.admin.post(`${roles}/clusterroles`, { metadata: { name: "scraper" }, rules });
    await server.admin.post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    const subjects = [
      { kind: "User", name: "ann", apiGroup: "rbac.authorization.orch.io" },
      { kind: "ServiceAccount", name: "robot", namespace: "default" },
    ];
    const roleRef = { kind: "ClusterRole", name: "scraper", apiGroup: "rbac.authorization.orch.io" };
    await server.admin.post(`${roles}/clusterrolebindings`, { metadata: { name: "scraper" }, subjects, roleRef });
    await eventually("the role is in force", async () => (await get(0, "/metrics", user("ann"))) === 200);
    const asked = { apiVersion: "authentication.orch.io/v1", kind: "TokenRequest", spec: {} };
    const answer = await server.admin.post("/api/v1/namespaces/default/serviceaccounts/robot/token", asked);
    const { token } = (answer.object() as unknown as { status: { token: string } }).status;
    expect([await get(0, "/metrics", { token }), await get(0, "/configz", { token })]).toEqual([200, 403]);
    expect(await get(0, "/metrics", { token: `${token}x` })).toBe(401);
  });

  test("its options, and profiles of it", async () => {
    const { body } = await ask(0, "/configz", masters());
    expect(JSON.parse(body)).toMatchObject({ "orch-controller-manager": { controllers: ["namespace", "-nodeipam"] } });
    const profile = await ask(0, "/debug/pprof/profile?seconds=0.05", masters());
    expect(JSON.parse(profile.body)).toMatchObject({ nodes: expect.any(Array) });
    expect(await get(0, "/debug/pprof/nonsense", masters())).toBe(404);
  });
});

test("without delegated authorization, only this machine reads /metrics", async () => {
  expect([await get(1, "/metrics"), await get(1, "/configz"), await get(1, "/debug/pprof/")]).toEqual([200, 403, 403]);
});

test("the client CA file is reloaded when it changes, unless it is invalid", async () => {
  expect(await get(1, "/configz", user("ann"))).toBe(401);
  writeFileSync(authorityFile, readFileSync(server.authority.caFile));
  await eventually("hers counts", async () => (await get(1, "/configz", user("ann"))) === 200);
  const flags = (await ask(1, "/flagz", user("ann"))).body.split("\n").map((line) => line.split("=")[0]);
  expect(flags).toContain("kube-api-qps");
  expect(flags).not.toContain("api-qps");
  writeFileSync(authorityFile, "nonsense");
  const said = () => readFileSync(alone.logFile, "utf8");
  await eventually("it is told", async () => said().includes("the previous CAs remain in use"));
  expect(await get(1, "/configz", user("ann"))).toBe(200);
}, 60_000);

test("controllers of other programs are reported", async () => {
  const third = managers.start("third", ["--controllers=namespace,nodeipam", "--node-eviction-rate=1"]);
  const said = () => readFileSync(third.logFile, "utf8");
  await eventually("it is told", async () => said().includes('"duties":["nodeipam"]'));
  expect(said()).toContain('"options":["node-eviction-rate"]');
  const fourth = managers.start("fourth", ["--controllers=nonsense", "--leader-elect-renew-deadline=1h"]);
  expect(await fourth.ended).toBe(1);
  const lines = readFileSync(fourth.logFile, "utf8");
  expect(lines).toContain("error: --leader-elect-lease-duration: must be greater than --leader-elect-renew-deadline");
  const fifth = managers.start("fifth", ["--controllers=nonsense"]);
  expect(await fifth.ended).toBe(1);
  expect(readFileSync(fifth.logFile, "utf8")).toContain("unknown controllers nonsense");
}, 60_000);
