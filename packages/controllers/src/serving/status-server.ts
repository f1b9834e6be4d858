// HTTPS server of the program: health checks, metrics, configuration and profiles, for clients that `ClientAccess`
// allows.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import {
  type FlagTable,
  flagTexts,
  flagzPage,
  PAGE_TYPES,
  pageAnswer,
  parseAccept,
  statuszPage,
} from "@orch/machinery";
import { type Log, takeProfile } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { ControllerStates } from "../manager/controller-states";
import { type Access, ClientAccess } from "./client-access";
import { HEALTH_PATHS, healthAnswer } from "./health-answer";
import type { ManagerMetrics } from "./manager-metrics";
import type { ServingConfig } from "./serving-flags";
import { openMaterial } from "./serving-material";

export interface StatusServerOptions {
  readonly config: ServingConfig;
  readonly vocabulary: Vocabulary;
  readonly log: Log;
  readonly metrics: ManagerMetrics;
  readonly states: ControllerStates;
  readonly isHealthy: () => boolean;
  /** Flags whose values /flagz shows. */
  readonly flags: FlagTable;
  /** Names of flags that differ from those of the table. */
  readonly spellings: Readonly<Record<string, string>>;
  readonly version: string;
}

const HEADERS_TIMEOUT_MS = 10_000;

/** @throws the errors of opening the port and of reading the files */
export async function serveStatus(options: StatusServerOptions): Promise<Server> {
  const { config, vocabulary, log } = options;
  const access = await ClientAccess.open({ config, vocabulary, log });
  const material = openMaterial(config, vocabulary.programs.controllerManager);
  const server = createServer(
    {
      ...material.options,
      requestCert: true,
      rejectUnauthorized: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
    },
    (request, response) => {
      answer(options, access, { request, response }).catch(() => response.destroy());
    },
  );
  material.follow(server, log);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config["secure-port"], config["bind-address"], resolve);
  });
  server.unref();
  return server;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answer(options: StatusServerOptions, access: ClientAccess, { request, response }: Exchange) {
  const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
  const found = await access.of(request, path);
  if (found.kind !== "allowed") return refuse(response, found, path);
  const health = HEALTH_PATHS.find((each) => path === each || path.startsWith(`${each}/`));
  const asked = new URLSearchParams(query);
  if (health !== undefined) {
    const { code, text: body } = healthAnswer(options, health, path.slice(health.length + 1), asked);
    return text(response, code, body);
  }
  if (path === "/metrics") {
    const { metrics } = options;
    return void response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.render());
  }
  if (path === "/metrics/slis") {
    const { metrics } = options;
    return void response.writeHead(200, { "content-type": metrics.contentType }).end(await metrics.renderHealth());
  }
  if (path === "/statusz" || path === "/flagz") return page(options, path, { request, response });
  if (path === "/configz") return json(response, { [options.vocabulary.programs.controllerManager]: options.config });
  if (options.config.profiling && path.startsWith(PROFILES)) return profile(response, path, asked);
  return text(response, 404, "404 page not found");
}

/** Paths that /statusz lists. */
const PATHS: readonly string[] = [...HEALTH_PATHS, "/configz", "/debug/pprof", "/flagz", "/metrics", "/statusz"];

/** Release whose forms of the pages are served. The program itself belongs to no release. */
const PAGE_RELEASE = "1.36";

function page(options: StatusServerOptions, path: "/statusz" | "/flagz", { request, response }: Exchange): void {
  const { vocabulary, config, flags, spellings, version } = options;
  const component = vocabulary.programs.controllerManager;
  const found =
    path === "/flagz"
      ? flagzPage(component, flagTexts(flags, config, spellings))
      : statuszPage({
          component,
          startedAtMs: performance.timeOrigin,
          nowMs: performance.timeOrigin + performance.now(),
          goVersion: `node${process.version}`,
          binaryVersion: version,
          emulationVersion: undefined,
          paths: PATHS,
        });
  const form = { release: PAGE_RELEASE, vocabulary };
  const answer = pageAnswer(found, parseAccept(request.headers.accept ?? ""), form);
  if (answer === undefined) {
    text(response, 406, `only the following media types are accepted: ${PAGE_TYPES.join(", ")}`);
    return;
  }
  if (answer.warning !== undefined) response.setHeader("warning", `299 - "${answer.warning}"`);
  response.writeHead(200, { "content-type": answer.contentType }).end(answer.body);
}

const PROFILES = "/debug/pprof/";

async function profile(response: ServerResponse, path: string, query: URLSearchParams): Promise<void> {
  const name = path.slice(PROFILES.length);
  if (name === "") return text(response, 200, "profile?seconds=30: CPU profile\nheap?seconds=30: heap profile");
  if (name !== "profile" && name !== "heap") return text(response, 404, "404 page not found");
  const taken = await takeProfile(name, query.get("seconds"));
  if (taken === undefined) return text(response, 429, "another profile is in progress");
  const file = `${name}.${name === "heap" ? "heapprofile" : "cpuprofile"}`;
  response.writeHead(200, {
    "content-type": "application/json",
    "content-disposition": `attachment; filename=${file}`,
  });
  response.end(taken);
}

function refuse(response: ServerResponse, found: Exclude<Access, { kind: "allowed" }>, path: string): void {
  switch (found.kind) {
    case "unknown":
      text(response, 401, "Unauthorized");
      break;
    case "refused":
      text(response, 403, `Forbidden: ${JSON.stringify(found.user)} may not read ${JSON.stringify(path)}`);
      break;
  }
}

const json = (response: ServerResponse, value: object): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

const text = (response: ServerResponse, code: number, body: string): void =>
  void response.writeHead(code, { "content-type": "text/plain; charset=utf-8" }).end(`${body}\n`);
