// The fleet of `make cluster`: three etcd members, two API servers, a load balancer; any one of them may die.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { configMap, configMapsPath, expectStatus, freshNamespace } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { freePorts } from "./harness/free-port";
import { ApiClient } from "./harness/https-client";
import { type Program, repository, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

interface Topology {
  readonly etcd: { readonly name: string; readonly clientPort: number; readonly peerPort: number }[];
  readonly apiServers: { readonly name: string; readonly port: number }[];
  readonly controllerManagers: { readonly name: string; readonly port: number }[];
  readonly loadBalancer: { readonly name: string; readonly port: number };
}
const topology = JSON.parse(readFileSync(join(repository, "deploy/topology.json"), "utf8")) as Topology;

test("docker-compose.yml has the members of the topology", () => {
  const text = readFileSync(join(repository, "docker-compose.yml"), "utf8");
  const services = Object.keys((parse(text, { merge: true }) as { services: object }).services);
  const members = [...topology.etcd, ...topology.apiServers, ...topology.controllerManagers, topology.loadBalancer].map(
    (member) => member.name,
  );
  expect(services.sort()).toEqual([...members, "certificates", "prometheus"].sort());
});

test("the fleet starts, serves through the load balancer while any one process dies, and stops as a whole", async () => {
  const directory = workplace.folder();
  const ports = await freePorts(11);
  const take = () => ports.pop() as number;
  const onFreePorts: Topology = {
    etcd: topology.etcd.map(({ name }) => ({ name, clientPort: take(), peerPort: take() })),
    apiServers: topology.apiServers.map(({ name }) => ({ name, port: take() })),
    controllerManagers: topology.controllerManagers.map(({ name }) => ({ name, port: take() })),
    loadBalancer: { name: topology.loadBalancer.name, port: take() },
  };
  const file = join(directory, "topology.json");
  writeFileSync(file, JSON.stringify(onFreePorts));
  const fleet = workplace.start({
    name: "fleet",
    program: process.execPath,
    args: [join(repository, "scripts/cluster.mjs"), `--topology=${file}`, `--directory=${directory}`],
    group: true,
  });
  try {
    await expectToSurvive(fleet, { ...onFreePorts, directory });
  } finally {
    expect(await fleet.stop()).toBe(0);
  }
}, 180_000);

async function expectToSurvive(fleet: Program, of: Topology & { readonly directory: string }): Promise<void> {
  await eventually("the fleet is ready", async () => fleet.logTail.includes("The fleet is ready"), {
    timeoutMs: 60_000,
  });

  const certificates = join(of.directory, "certificates");
  const read = (name: string) => readFileSync(join(certificates, name));
  const credentials = { ca: read("ca.crt"), cert: read("admin.crt"), key: read("admin.key") };
  const fresh = () => new ApiClient(`https://127.0.0.1:${of.loadBalancer.port}`, credentials);
  await expectStatus(201, fresh().post(configMapsPath(), configMap("kept")));

  const link = readFileSync(join(of.directory, "explorer.url"), "utf8").trim();
  const [page = "", token = ""] = link.split("#token=");
  expect(fleet.logTail).toContain("explorer.url");
  expect(fleet.logTail).not.toContain(token);
  expect(page).toBe(`https://127.0.0.1:${of.apiServers[0]?.port}/docs`);
  const explorer = new ApiClient(new URL(page).origin, { ca: credentials.ca, token });
  await expectStatus(200, explorer.get("/api/v1/secrets"));

  const maps = await freshNamespace(fresh(), "short-lived");
  await expectStatus(201, fresh().post(maps, configMap("content")));
  await expectStatus(200, fresh().delete("/api/v1/namespaces/short-lived"));
  const gone = async () => (await fresh().get("/api/v1/namespaces/short-lived")).status === 404;
  await eventually("a controller manager ended the namespace", gone);

  const pidOf = (name: string) => Number(new RegExp(`^  ${name} +(\\d+)$`, "m").exec(fleet.logTail)?.[1]);
  const victims = ["apiserver-1", "etcd-2", "apiserver-2"];
  for (const [index, name] of victims.entries()) {
    process.kill(pidOf(name), "SIGKILL");
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
    await eventually(`${name} is started again`, async () => fleet.logTail.includes(`${name} ended (SIGKILL)`));
    await eventually("the fleet is whole", () => allReady(of, credentials), { timeoutMs: 30_000 });
  }
  const names = ((await expectStatus(200, fresh().get(configMapsPath()))).items ?? []).map(
    (item) => item.metadata.name,
  );
  expect(names).toEqual(expect.arrayContaining(["after-0", "after-1", "after-2", "kept"]));
}

async function allReady({ apiServers }: Topology, credentials: ApiClient["credentials"]): Promise<boolean> {
  const ready = ({ port }: { port: number }) =>
    new ApiClient(`https://127.0.0.1:${port}`, credentials).get("/readyz", { timeoutMs: 3000 }).then(
      ({ status }) => status === 200,
      () => false,
    );
  return (await Promise.all(apiServers.map(ready))).every(Boolean);
}
