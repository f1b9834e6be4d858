// What extension servers answer for, as the last step of the pipeline meets it.
import { discoveryPath, type RemoteRegistration } from "@orch/extensions";
import { LongWaits, systemClock } from "@orch/platform";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import type { PathRequest, RemoteRequest } from "../pipeline/request-info";
import { passToServer, type RemoteRequestDeps } from "./remote-request";

export interface RemoteApisDeps extends Omit<RemoteRequestDeps, "passed" | "waits"> {
  remoteOf(group: string, version: string): RemoteRegistration | undefined;
}

/** Of discovery, which nobody is to wait for long. */
const DISCOVERY_HEAD_MS = 5_000;
/** Of streams, which else have no bound of time; that of other requests is looked after with the request. */
const HEAD_MS = 60_000;

export class RemoteApis {
  /** What is under way, by registration. */
  private readonly open = new Map<string, Set<ApiResponse>>();
  private readonly deps: RemoteRequestDeps;

  constructor(private readonly apis: RemoteApisDeps) {
    const waits = new LongWaits(systemClock);
    this.deps = { ...apis, waits, passed: (registration, response) => this.passed(registration, response) };
  }

  answer(request: ApiRequest, response: ApiResponse, { registration, path, search }: RemoteRequest): Promise<void> {
    request.context.servedPath = discoveryPath(registration);
    const target = { registration, path: path + search, headTimeoutMs: HEAD_MS };
    return passToServer(this.deps, { request, response }, target);
  }

  /** Who answers for a path that is a group version's own; undefined where this server does. */
  ofDocument(path: string): RemoteRegistration | undefined {
    const [, group, version] = NAMED.exec(path) ?? [];
    if (group !== undefined && version !== undefined) return this.apis.remoteOf(group, version);
    const [, core] = CORE.exec(path) ?? [];
    return core === undefined ? undefined : this.apis.remoteOf("", core);
  }

  /** The same of a group version's published schema. */
  ofSchema(path: string): RemoteRegistration | undefined {
    return path.startsWith(SCHEMAS) ? this.ofDocument(path.slice(SCHEMAS.length)) : undefined;
  }

  answerDocument(
    request: ApiRequest,
    response: ApiResponse,
    {
      registration,
      path,
      search,
    }: Pick<PathRequest, "path" | "search"> & { readonly registration: RemoteRegistration },
  ): Promise<void> {
    request.context.servedPath = discoveryPath(registration);
    const target = { registration, path: path + search, headTimeoutMs: DISCOVERY_HEAD_MS };
    return passToServer(this.deps, { request, response }, target);
  }

  /** It leads elsewhere from now on: who is still connected would hear of a server that nobody means any more. */
  end(name: string): void {
    for (const response of this.open.get(name) ?? []) {
      const { stream } = response.req.context;
      if (response.req.context.info.longRunning) stream?.end();
    }
  }

  private passed({ name }: RemoteRegistration, response: ApiResponse): void {
    const open = this.open.get(name) ?? new Set();
    this.open.set(name, open.add(response));
    response.req.context.end.addEventListener("abort", () => {
      open.delete(response);
      if (open.size === 0 && this.open.get(name) === open) this.open.delete(name);
    });
  }
}

const SCHEMAS = "/openapi/v3";
const NAMED = /^\/apis\/([^/%]+)\/([^/%]+)\/?$/;
const CORE = /^\/api\/([^/%]+)\/?$/;
