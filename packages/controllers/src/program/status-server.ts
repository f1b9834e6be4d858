// /healthz for everybody, /metrics for this machine and for clients with a certificate of the given authority.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { TLSSocket } from "node:tls";
import { makeCertificate, readCertificates, readKeyOf } from "@orch/platform";
import type { DutyStates } from "../manager/duty-states";
import type { ManagerMetrics } from "../metrics/manager-metrics";
import type { ManagerConfig } from "./manager-flags";

export interface StatusServerOptions {
  readonly config: ManagerConfig;
  readonly name: string;
  readonly metrics: ManagerMetrics;
  readonly states: DutyStates;
  readonly isHealthy: () => boolean;
}

/** @throws what opening the port, or reading the files, throws */
export async function serveStatus(options: StatusServerOptions): Promise<Server> {
  const { config, name } = options;
  const server = createServer(
    { ...ownPair(config, name), ...clientCheck(config), minVersion: "TLSv1.2" },
    (request, response) => {
      answer(options, request, response).catch(() => response.destroy());
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config["secure-port"], config["bind-address"], resolve);
  });
  server.unref();
  return server;
}

/** Without files one that lives as long as the process: who scrapes must not check it. */
function ownPair(config: ManagerConfig, commonName: string): { readonly cert: string; readonly key: string } {
  if (config["tls-cert-file"] === "") {
    const usage = { kind: "server", names: [] } as const;
    const { certificate, key } = makeCertificate({ subject: { commonName }, usage, nowMs: Date.now() });
    return { cert: certificate, key };
  }
  const cert = readCertificates("tls-cert-file", config["tls-cert-file"]);
  return { cert, key: readKeyOf(cert, "tls-private-key-file", config["tls-private-key-file"]) };
}

function clientCheck(config: ManagerConfig): ServerOptions {
  const file = config["client-ca-file"];
  if (file === "") return {};
  return { ca: readCertificates("client-ca-file", file), requestCert: true, rejectUnauthorized: false };
}

async function answer(options: StatusServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { metrics, states } = options;
  const [path = ""] = (request.url ?? "").split("?");
  switch (path) {
    case "/healthz": {
      const problem = problemOf(options);
      return problem === undefined ? text(response, 200, "ok") : text(response, 500, problem);
    }
    case "/healthz/leaderElection":
      return options.isHealthy() ? text(response, 200, "ok") : text(response, 500, "leaderElection failed");
    case "/metrics":
      if (!mayScrape(request)) return text(response, 403, "forbidden");
      response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.render());
      return;
    default: {
      const state = path.startsWith(HEALTH_OF) ? states.get(path.slice(HEALTH_OF.length)) : undefined;
      if (state === undefined) return text(response, 404, "404 page not found");
      return state.kind === "failed" ? text(response, 500, state.why) : text(response, 200, "ok");
    }
  }
}

/** And the name of a duty. */
const HEALTH_OF = "/healthz/";

function problemOf({ states, isHealthy }: StatusServerOptions): string | undefined {
  if (!isHealthy()) return "leaderElection failed";
  for (const [name, { kind }] of states.all()) if (kind === "failed") return `${name} failed`;
  return undefined;
}

function mayScrape({ socket }: IncomingMessage): boolean {
  const { authorized, remoteAddress = "" } = socket as TLSSocket;
  return authorized || ["127.0.0.1", "::1", "::ffff:127.0.0.1"].includes(remoteAddress);
}

function text(response: ServerResponse, code: number, body: string): void {
  response.writeHead(code, { "content-type": "text/plain; charset=utf-8" }).end(`${body}\n`);
}
