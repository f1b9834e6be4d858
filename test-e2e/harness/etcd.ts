// etcd members as processes: one, or three that elect a leader. Data survives kill and restart, as on a real disk.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./eventually";
import { freePorts } from "./free-port";
import { type Program, tool, type Workplace } from "./processes";

const HOST = "127.0.0.1";

interface EtcdMember {
  readonly endpoint: string;
  /** Starts the member, on its existing data if there is any. */
  start(): void;
  kill(): Promise<void>;
  /** Stops the process (SIGSTOP): alive but silent, like a machine that swaps or a network that drops packets. */
  freeze(): void;
  thaw(): void;
  /** Saves and restores its data while it is not running. */
  save(): void;
  restore(): void;
}

export interface EtcdCluster {
  readonly members: readonly EtcdMember[];
  /** Value for `--etcd-servers`. */
  readonly endpoints: string;
  untilHealthy(): Promise<void>;
}

/** Starts `members` of them and waits until they serve. Plain HTTP: they listen on 127.0.0.1 only. */
export async function startEtcd(workplace: Workplace, { members = 1 } = {}): Promise<EtcdCluster> {
  const ports = await freePorts(2 * members);
  const addresses = Array.from({ length: members }, (_, index) => ({
    name: `etcd-${index + 1}`,
    client: `http://${HOST}:${ports[2 * index]}`,
    peer: `http://${HOST}:${ports[2 * index + 1]}`,
  }));
  const initialCluster = addresses.map(({ name, peer }) => `${name}=${peer}`).join(",");
  const cluster: EtcdCluster = {
    members: addresses.map(({ name, client, peer }) => {
      const data = join(workplace.folder(), "data");
      let program: Program | undefined;
      const member: EtcdMember = {
        endpoint: client,
        start() {
          program = workplace.start({
            name,
            program: tool("etcd"),
            args: [
              `--name=${name}`,
              `--data-dir=${data}`,
              `--listen-client-urls=${client}`,
              `--advertise-client-urls=${client}`,
              `--listen-peer-urls=${peer}`,
              `--initial-advertise-peer-urls=${peer}`,
              `--initial-cluster=${initialCluster}`,
              "--logger=zap",
              "--log-level=warn",
            ],
          });
        },
        async kill() {
          await program?.kill();
        },
        save: () => cpSync(data, `${data}.saved`, { recursive: true }),
        restore() {
          rmSync(data, { recursive: true });
          cpSync(`${data}.saved`, data, { recursive: true });
        },
        freeze: () => program?.signal("SIGSTOP"),
        thaw: () => program?.signal("SIGCONT"),
      };
      member.start();
      return member;
    }),
    endpoints: addresses.map(({ client }) => client).join(","),
    async untilHealthy() {
      for (const { client } of addresses) {
        await eventually(`${client} is healthy`, () => healthy(client), { timeoutMs: 30_000, pauseMs: 50 });
      }
    },
  };
  await cluster.untilHealthy();
  return cluster;
}

async function healthy(client: string): Promise<boolean> {
  try {
    const answer = await fetch(`${client}/health`, { signal: AbortSignal.timeout(2000) });
    return ((await answer.json()) as { health?: string }).health === "true";
  } catch {
    return false;
  }
}
