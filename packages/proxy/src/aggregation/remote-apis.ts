// Requests for aggregated API servers, as the last step of the pipeline sees them.
import { discoveryPath, type RemoteRegistration } from "@orch/extensions";
import { LongWaits, systemClock } from "@orch/platform";
import type { ApiRequest, ApiResponse, PathRequest, RemoteRequest } from "@orch/request";
import { passToServer, type RemoteRequestDeps } from "./remote-request";

export interface RemoteApisDeps extends Omit<RemoteRequestDeps, "passed" | "waits"> {
  remoteOf(group: string, version: string): RemoteRegistration | undefined;
}

/** Timeout for the response head of discovery requests. */
const DISCOVERY_HEAD_MS = 5_000;
/**
 * Timeout for the response head of streams, which have no other timeout; other requests are bound by the request
 * timeout.
 */
const HEAD_MS = 60_000;

export class RemoteApis {
  /** Responses in progress, by registration. */
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

  /** Registration that serves the path of a group version; undefined when this server does. */
  ofDocument(path: string): RemoteRegistration | undefined {
    const [, group, version] = NAMED.exec(path) ?? [];
    if (group !== undefined && version !== undefined) return this.apis.remoteOf(group, version);
    const [, core] = CORE.exec(path) ?? [];
    return core === undefined ? undefined : this.apis.remoteOf("", core);
  }

  /** Registration that serves the published schema of a group version. */
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

  /**
   * Ends the long-running requests to a registration whose target changed: their clients would continue to read from
   * the former server.
   */
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
