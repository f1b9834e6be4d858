// `make cluster` refuses options and ports that cannot work, before it starts a process.
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { TOPOLOGY } from "./harness/fleet";
import { repository, useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

function cluster(...options: string[]): { readonly status: number | null; readonly error: string } {
  const program = join(repository, "scripts/cluster.mjs");
  const { status, stderr } = spawnSync(process.execPath, [program, ...options], { encoding: "utf8" });
  return { status, error: stderr };
}

test.each([
  [["--servers=three"], '--servers: "three" is not a number from 1 to 5'],
  [["--etcd=6"], '--etcd: "6" is not a number from 1 to 5'],
  [["--first-port=65530"], "is 65536: a port is a number from 1 to 65535"],
])("%j ends with the reason", (options, reason) => {
  const { status, error } = cluster(...options, `--directory=${workplace.folder()}`);
  expect([status, error]).toEqual([1, expect.stringContaining(reason)]);
});

test("a port that is in use ends with the process, the port, its place in the topology, and the program that has it", async () => {
  const directory = workplace.folder();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const file = join(directory, "topology.json");
  writeFileSync(file, JSON.stringify({ ...TOPOLOGY, loadBalancer: { name: "loadbalancer", port } }));
  const { status, error } = cluster(`--topology=${file}`, `--directory=${directory}`);
  server.close();
  const owner = process.platform === "linux" ? `(process ${process.pid})` : "another program";
  expect([status, error]).toEqual([1, expect.stringContaining(owner)]);
  expect(error).toContain(`loadbalancer cannot listen at 127.0.0.1:${port} (loadBalancer.port): `);
  expect(error).toContain("--first-port");
});

test("a port that the topology has twice ends with both places", () => {
  const file = join(workplace.folder(), "topology.json");
  const [first, second] = TOPOLOGY.apiServers;
  writeFileSync(file, JSON.stringify({ ...TOPOLOGY, apiServers: [first, { ...second, port: first?.port }] }));
  const { status, error } = cluster(`--topology=${file}`, `--directory=${workplace.folder()}`);
  expect([status, error]).toEqual([1, expect.stringContaining("apiServers[0].port and apiServers[1].port are both")]);
});

test("a number of etcd members other than that of the data is refused", () => {
  const directory = workplace.folder();
  mkdirSync(join(directory, "etcd-1/member"), { recursive: true });
  const { status, error } = cluster("--etcd=3", `--directory=${directory}`);
  expect([status, error]).toEqual([1, expect.stringContaining("Pass --etcd 1, another --directory")]);
});

test("the balancer of two API servers has the deployed configuration, and that of four a line for each", () => {
  const path = join(workplace.folder(), "haproxy.cfg");
  const module = JSON.stringify(join(repository, "scripts/cluster/balancer.mjs"));
  const written = (servers: number) => {
    const code = `(await import(${module})).writeBalancerConfiguration(${JSON.stringify(path)}, ${servers})`;
    execFileSync(process.execPath, ["--input-type=module", "--eval", code]);
    return readFileSync(path, "utf8");
  };
  expect(written(2)).toBe(readFileSync(join(repository, "deploy/haproxy/haproxy.cfg"), "utf8"));
  expect(written(4).match(/^ {2}server apiserver-[1-4] "\$\{APISERVER_[1-4]\}"$/gm)).toHaveLength(4);
});
