// Servers for hostile inputs: the API server alone, and the one with the controllers in its process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConnection, type TextSource } from "@orch/client";
import { startApiServer } from "../api-server";
import type { Authority } from "../credentials";
import { eventually } from "../eventually";
import { freePort } from "../free-port";
import { ApiClient } from "../https-client";
import { repository, type Workplace } from "../processes";

export type HostileProgram = "orch-apiserver" | "orch-standalone";

export interface HostileServer {
  readonly admin: ApiClient;
  ready(): Promise<boolean>;
}

export interface HostileServerOptions {
  readonly authority: Authority;
  readonly env: Readonly<Record<string, string>>;
  readonly flags: readonly string[];
}

export function startHostileServer(
  program: HostileProgram,
  workplace: Workplace,
  options: HostileServerOptions,
): Promise<HostileServer> {
  switch (program) {
    case "orch-apiserver":
      return startApiServer(workplace, { store: { kind: "embedded" }, ...options });
    case "orch-standalone":
      return startStandalone(workplace, options);
  }
}

const START_TIMEOUT_MS = 60_000;

/** Makes an authority of its own, without which no controllers run. */
async function startStandalone(
  workplace: Workplace,
  { env, flags }: Omit<HostileServerOptions, "authority">,
): Promise<HostileServer> {
  const folder = workplace.folder();
  const args = [
    join(repository, "packages/standalone/dist/main.js"),
    "--store=embedded",
    `--data-dir=${folder}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${await freePort()}`,
    "--authorization-mode=RBAC",
    "--disable-admission-plugins=ServiceAccount",
    ...flags,
  ];
  const program = workplace.start({ name: "standalone", program: process.execPath, args, env });
  const begun = async (): Promise<boolean> => {
    if (!program.running) throw new Error(`it ended:\n${program.logTail}`);
    return program.logTail.includes("starting the controllers");
  };
  await eventually("the controllers have begun", begun, { timeoutMs: START_TIMEOUT_MS });
  const { server, tls, credentials } = loadConnection({ path: join(folder, "admin.kubeconfig") });
  const { certificate, key } = credentials.certificate ?? {};
  const admin = new ApiClient(server, { ca: bytesOf(tls.ca), cert: bytesOf(certificate), key: bytesOf(key) });
  return {
    admin,
    async ready() {
      if (!program.running) throw new Error(`it ended:\n${program.logTail}`);
      return (await admin.get("/readyz")).status === 200;
    },
  };
}

function bytesOf(source: TextSource | undefined): Buffer {
  if (source === undefined) throw new Error("the server has written no credentials for its operator");
  return source.kind === "text" ? Buffer.from(source.text) : readFileSync(source.path);
}
