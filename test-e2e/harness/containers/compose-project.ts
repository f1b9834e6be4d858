// The services of docker-compose.yml under a project name, ports and a folder of their own.
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually";
import { ApiClient } from "../https-client";
import { repository } from "../processes";
import type { ContainerEngine, Ended } from "./container-engine";

const READY_TIMEOUT_MS = 240_000;

interface Listed {
  readonly Name: string;
  readonly Service: string;
  readonly State: string;
  readonly Health: string;
}

export interface Place {
  readonly engine: ContainerEngine;
  /** Folder of the project. */
  readonly folder: string;
  readonly ports: readonly [server: number, prometheus: number];
}

export class ComposeProject {
  readonly url: string;
  readonly prometheus: string;
  readonly folder: string;
  /** Variables of the services; changes are used by the next command. */
  readonly env: Record<string, string>;
  private readonly engine: ContainerEngine;

  constructor({ engine, folder, ports: [port, prometheus] }: Place) {
    this.engine = engine;
    this.folder = folder;
    this.url = `https://127.0.0.1:${port}`;
    this.prometheus = `http://127.0.0.1:${prometheus}`;
    this.env = {
      COMPOSE_PROJECT_NAME: `orch-test-${process.pid}`,
      ORCH_PORT: String(port),
      ORCH_PROMETHEUS_PORT: String(prometheus),
    };
    for (const path of ["docker-compose.yml", "deploy"])
      cpSync(join(repository, path), join(folder, path), { recursive: true });
    mkdirSync(join(folder, ".orch"), { recursive: true });
  }

  /** Runs `docker compose` to its end. @throws Error when it fails */
  compose(...words: readonly string[]): Promise<string> {
    return this.engine.docker(["compose", ...words], { cwd: this.folder, env: this.env });
  }

  run(...words: readonly string[]): Promise<Ended> {
    return this.engine.run(["compose", ...words], { cwd: this.folder, env: this.env });
  }

  docker(...words: readonly string[]): Promise<string> {
    return this.engine.docker(words);
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ".orch/compose", ...parts);
  }

  read(...parts: readonly string[]): Buffer {
    return readFileSync(this.path(...parts));
  }

  /** Client of the administrator, with the files for this machine. */
  admin(): ApiClient {
    const text = readFileSync(this.path("admin.kubeconfig"), "utf8");
    const { clusters, users } = JSON.parse(text) as {
      readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
      readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
    };
    const data = (of: Readonly<Record<string, string>> | undefined, member: string) =>
      Buffer.from(of?.[member] ?? "", "base64");
    const [cluster, user] = [clusters[0]?.cluster, users[0]?.user];
    return new ApiClient(cluster?.["server"] ?? "", {
      ca: data(cluster, "certificate-authority-data"),
      cert: data(user, "client-certificate-data"),
      key: data(user, "client-key-data"),
    });
  }

  /** Containers of a service; all that run when none is named. */
  async containers(service?: string): Promise<readonly Listed[]> {
    const text = await this.compose("ps", "--all", "--format=json", ...(service === undefined ? [] : [service]));
    return text.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Listed] : []));
  }

  /** Waits until every container that a service keeps running is healthy. */
  async ready(count: number): Promise<void> {
    await eventually(
      `${count} containers are healthy`,
      async () => (await this.containers()).filter(({ Health }) => Health === "healthy").length === count,
      { timeoutMs: READY_TIMEOUT_MS, pauseMs: 500 },
    );
  }

  async healthy(container: string): Promise<void> {
    await eventually(
      `${container} is healthy`,
      async () => (await this.docker("inspect", "--format={{.State.Health.Status}}", container)) === "healthy",
      { timeoutMs: READY_TIMEOUT_MS, pauseMs: 250 },
    );
  }

  /** Ends the first process of a container, as an error in it would. */
  async crash(container: string): Promise<void> {
    process.kill(Number(await this.docker("inspect", "--format={{.State.Pid}}", container)), "SIGKILL");
  }
}
