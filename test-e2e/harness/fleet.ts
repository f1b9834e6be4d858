// The fleet of `make cluster` on free ports: three etcd members, two API servers, two controller managers, a load
// balancer.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Credentials } from "./credentials";
import { eventually } from "./eventually";
import { freePorts } from "./free-port";
import { type Program, repository, type Workplace } from "./processes";

export interface Topology {
  readonly etcd: { readonly name: string; readonly clientPort: number; readonly peerPort: number }[];
  readonly apiServers: { readonly name: string; readonly port: number }[];
  readonly controllerManagers: { readonly name: string; readonly port: number }[];
  readonly loadBalancer: { readonly name: string; readonly port: number };
  readonly prometheus: { readonly name: string; readonly port: number };
}

export interface FleetOptions {
  /** Number of API servers. Default: that of the deployed topology. */
  readonly servers?: number;
  /** Further options of scripts/cluster.mjs. */
  readonly options?: readonly string[];
}

/** The deployed topology. */
export const TOPOLOGY = JSON.parse(readFileSync(join(repository, "deploy/topology.json"), "utf8")) as Topology;

export class Fleet {
  private constructor(
    readonly program: Program,
    readonly topology: Topology,
    private readonly directory: string,
  ) {}

  /** Resolves when the fleet is ready. */
  static async start(
    workplace: Workplace,
    { servers = TOPOLOGY.apiServers.length, options = [] }: FleetOptions = {},
  ): Promise<Fleet> {
    const directory = workplace.folder();
    const ports = await freePorts(10 + servers);
    const take = () => ports.pop() as number;
    const topology: Topology = {
      etcd: TOPOLOGY.etcd.map(({ name }) => ({ name, clientPort: take(), peerPort: take() })),
      apiServers: Array.from({ length: servers }, (_, index) => ({ name: `apiserver-${index + 1}`, port: take() })),
      controllerManagers: TOPOLOGY.controllerManagers.map(({ name }) => ({ name, port: take() })),
      loadBalancer: { name: TOPOLOGY.loadBalancer.name, port: take() },
      prometheus: { name: TOPOLOGY.prometheus.name, port: take() },
    };
    const file = join(directory, "topology.json");
    writeFileSync(file, JSON.stringify(topology));
    const program = workplace.start({
      name: "fleet",
      program: process.execPath,
      args: [join(repository, "scripts/cluster.mjs"), `--topology=${file}`, `--directory=${directory}`, ...options],
      group: true,
    });
    const fleet = new Fleet(program, topology, directory);
    await eventually("the fleet is ready", async () => program.logTail.includes("The fleet is ready"), {
      timeoutMs: 200_000,
    });
    return fleet;
  }

  /** URL of the load balancer. */
  get url(): string {
    return `https://127.0.0.1:${this.topology.loadBalancer.port}`;
  }

  /** Returns the data of an answer of the HTTP API of Prometheus. @param path below /api/v1/ */
  async prometheus<Data>(path: string): Promise<Data> {
    const answer = await fetch(`http://127.0.0.1:${this.topology.prometheus.port}/api/v1/${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: Data; error?: string };
    if (status !== "success") throw new Error(`Prometheus: ${error} at ${decodeURIComponent(path)}`);
    return data;
  }

  /** Adds a file of rules to those of Prometheus, and makes it read them. */
  addRules(name: string, text: string): void {
    writeFileSync(join(this.directory, "prometheus", `rules-${name}`), text);
    process.kill(this.pidOf("prometheus"), "SIGHUP");
  }

  /** Directory with certificates of its authority. */
  get certificates(): string {
    return join(this.directory, "certificates");
  }

  /** Link to the explorer of the first API server, with the token of its start. */
  get explorerLink(): string {
    return readFileSync(join(this.directory, "explorer.url"), "utf8").trim();
  }

  credentials(name: string): Credentials & { readonly cert: Buffer; readonly key: Buffer } {
    const read = (file: string) => readFileSync(join(this.certificates, file));
    return { ca: read("ca.crt"), cert: read(`${name}.crt`), key: read(`${name}.key`) };
  }

  /** Output of one of its processes. */
  logOf(name: string): string {
    return readFileSync(join(this.directory, "logs", `${name}.log`), "utf8");
  }

  pidOf(name: string): number {
    return Number(new RegExp(`^  ${name} +(\\d+) `, "m").exec(this.program.logTail)?.[1]);
  }

  /** @returns the exit code */
  stop(): Promise<number | NodeJS.Signals> {
    return this.program.stop();
  }
}
