// Real etcd members for tests: one, or several that elect a leader, on free ports, with data in the temporary folder.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TlsFiles } from "../etcd/tls-files";

const REPOSITORY = resolve(__dirname, "../../../..");
const START_TIMEOUT_MS = 20_000;
const HOST = "127.0.0.1";

interface EtcdMember {
  readonly endpoint: string;
  /** Starts the member, or restarts it on its data. Resolves when it listens. */
  start(): Promise<void>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  /** Stops the process with SIGSTOP: its connections stay open without answers. */
  freeze(): void;
  thaw(): void;
  /** Takes a backup of the data. The member must not be running. */
  save(): void;
  /** Restores the backup. The member must not be running. */
  restore(): void;
}

export interface EtcdProcesses {
  readonly members: readonly EtcdMember[];
  readonly endpoints: readonly string[];
  /** The client's TLS files, if the members use TLS; they require a client certificate. */
  readonly tls: TlsFiles | undefined;
  /** Stops all members and removes their data. */
  stop(): Promise<void>;
}

/** @param args further flags for every member */
export async function startEtcd({
  members = 1,
  tls = false,
  args = [],
}: {
  readonly members?: number;
  readonly tls?: boolean;
  readonly args?: readonly string[];
} = {}): Promise<EtcdProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "store-etcd-"));
  const certificates = tls ? issueCertificates(join(folder, "pki")) : undefined;
  const scheme = tls ? "https" : "http";
  const ports = await freePorts(2 * members);
  const all = Array.from({ length: members }, (_, i) => ({
    name: `member-${i}`,
    client: `${scheme}://${HOST}:${ports[2 * i]}`,
    peer: `http://${HOST}:${ports[2 * i + 1]}`,
  }));
  const cluster = all.map(({ name, peer }) => `${name}=${peer}`).join(",");
  const started = all.map(
    ({ name, client, peer }) =>
      new Member(client, join(folder, name), [
        `--name=${name}`,
        `--data-dir=${join(folder, name)}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=${cluster}`,
        "--unsafe-no-fsync",
        "--logger=zap",
        "--log-level=error",
        ...(certificates?.serverArgs ?? []),
        ...args,
      ]),
  );
  await Promise.all(started.map((member) => member.start()));
  return {
    members: started,
    endpoints: started.map(({ endpoint }) => endpoint),
    tls: certificates?.client,
    async stop() {
      await Promise.all(started.map((member) => member.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Member implements EtcdMember {
  readonly endpoint: string;
  private readonly dataDir: string;
  private readonly args: readonly string[];
  private child: ChildProcess | undefined;

  constructor(endpoint: string, dataDir: string, args: readonly string[]) {
    this.endpoint = endpoint;
    this.dataDir = dataDir;
    this.args = args;
  }

  private get log(): string {
    return `${this.dataDir}.log`;
  }

  async start(): Promise<void> {
    const log = openSync(this.log, "a");
    const child = spawn(etcdProgram(), this.args, { stdio: ["ignore", log, log] });
    this.child = child;
    const port = Number(new URL(this.endpoint).port);
    for (const until = performance.now() + START_TIMEOUT_MS; !(await listens(port)); await sleep(20)) {
      if (performance.now() < until && child.exitCode === null) continue;
      throw new Error(`etcd does not start: ${readFileSync(this.log, "utf8").slice(-2000)}`);
    }
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }

  freeze(): void {
    this.child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.child?.kill("SIGCONT");
  }

  save(): void {
    cpSync(this.dataDir, `${this.dataDir}.saved`, { recursive: true });
  }

  restore(): void {
    rmSync(this.dataDir, { recursive: true });
    cpSync(`${this.dataDir}.saved`, this.dataDir, { recursive: true });
  }
}

function etcdProgram(): string {
  const unpacked = join(REPOSITORY, ".tools/bin/etcd");
  return existsSync(unpacked) ? unpacked : "etcd";
}

/**
 * Issues certificates with the repository's own script: one authority, one pair for the members, one for the client.
 */
function issueCertificates(folder: string) {
  const issue = (name: string, ...more: readonly string[]) =>
    execFileSync(process.execPath, [join(REPOSITORY, "scripts/certificates.mjs"), folder, name, ...more]);
  issue("member", "--host", HOST);
  issue("client");
  const file = (name: string) => join(folder, name);
  return {
    client: { caFile: file("ca.crt"), certFile: file("client.crt"), keyFile: file("client.key") },
    serverArgs: [
      `--cert-file=${file("member.crt")}`,
      `--key-file=${file("member.key")}`,
      `--trusted-ca-file=${file("ca.crt")}`,
      "--client-cert-auth",
    ],
  };
}

async function freePorts(count: number): Promise<readonly number[]> {
  // All ports are held until all are known; otherwise the system could return the same one twice.
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((ready) => server.listen(0, HOST, ready));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}

function listens(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect({ port, host: HOST });
    socket.once("connect", () => {
      socket.destroy();
      answer(true);
    });
    socket.once("error", () => answer(false));
  });
}
