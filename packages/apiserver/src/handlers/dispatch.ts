// Last step of the pipeline: dispatches to a resource, to another path, or answers 404.

import { answerJson, mayHaveBody, methodNotAllowed, READING_METHODS } from "@orch/http-server";
import { badRequest, routerNotFound, serviceUnavailable } from "@orch/machinery";
import { ALL_ENDPOINTS, answerHealth, type HealthChecks } from "@orch/observability";
import { answerDiscovery, type DiscoverySource } from "@orch/openapi";
import type { PeerProxy, RemoteApis } from "@orch/proxy";
import {
  type ApiRequest,
  type ApiResponse,
  type Middleware,
  type PathRequest,
  type RequestInfo,
  readRequestInfo,
  type ServedRequest,
  type UnservedRequest,
} from "@orch/request";
import { otherVocabularyHint } from "@orch/schema";
import { answerEverything } from "./everything";
import type { HandlerDeps } from "./handler";
import { handleResource } from "./resource-handler";
import { watchSeveral } from "./watch-several";

export interface DispatchDeps extends HandlerDeps {
  /** False while the server is starting and cannot serve objects. */
  started(): boolean;
  readonly discovery: DiscoverySource;
  readonly remote: RemoteApis;
  /** Undefined when no request is forwarded to other API servers. */
  readonly peerProxy: PeerProxy | undefined;
  /**
   * Called before an unknown resource is answered with 404: resolves once the definitions established before are
   * served. Never rejects.
   */
  awaitDefinitions(): Promise<void>;
  readonly health: HealthChecks;
  /** Handlers by whole path. */
  readonly paths: ReadonlyMap<string, PathHandler>;
  /** Handlers by path prefix, with a trailing slash. */
  readonly trees: ReadonlyMap<string, PathHandler>;
}

export type PathHandler = (request: ApiRequest, response: ApiResponse) => void | Promise<void>;

export function dispatch(deps: DispatchDeps): Middleware {
  const { routes } = deps;
  return (request, response) => {
    const { info } = request.context;
    if (request.upgraded !== undefined && mayHaveBody(request)) throw badRequest("an upgrade cannot have a body");
    if (info.kind === "unreadable") throw badRequest(info.why);
    if (info.kind === "path") return answerPath(deps, { request, response, info });
    if (!deps.started()) throw serviceUnavailable("server is starting", 1);
    if (info.kind === "several")
      return (info.verb === "watch" ? watchSeveral : answerEverything)(deps, { request, response, info });
    if (info.kind === "remote" && info.isOfPeer) return deps.peerProxy?.answer(request, response, info);
    if (info.kind === "remote") return deps.remote.answer(request, response, info);
    if (info.kind !== "unserved") return handleResource(deps, request, response, info);
    if (info.allowed !== undefined) throw methodNotAllowed(response, info.allowed);
    return answerUnserved(request, response, info);
  };

  async function answerUnserved(request: ApiRequest, response: ApiResponse, info: UnservedRequest): Promise<void> {
    if (info.group !== "") await deps.awaitDefinitions();
    const found = readRequestInfo(info.method, request.context.target, routes);
    if (isServed(found) && asksTheSame(found, info)) {
      request.context.info = found;
      return handleResource(deps, request, response, found);
    }
    // In a served group version the resource is missing; otherwise the path is.
    if (routes.servesGroupVersion(info.group, info.version)) throw routerNotFound();
    requireOwnGroup(deps, info.group);
    answerUnknownPath(deps, response);
  }
}

type OfResource = ServedRequest | UnservedRequest;

const isServed = (info: RequestInfo): info is ServedRequest => "route" in info && info.route !== undefined;

const AUTHORIZED = ["verb", "group", "version", "resource", "subresource", "namespace", "name", "longRunning"] as const;

/** Compares the attributes that decisions in the pipeline were based on: authorization and timeouts. */
const asksTheSame = (one: OfResource, other: OfResource): boolean =>
  AUTHORIZED.every((member) => one[member] === other[member]);

/** Matches the path literally, because that path was authorized. */
async function answerPath(
  deps: DispatchDeps,
  {
    request,
    response,
    info,
  }: { readonly request: ApiRequest; readonly response: ApiResponse; readonly info: PathRequest },
): Promise<void> {
  const { context } = request;
  const { path, method } = info;
  const handler = deps.paths.get(path);
  if (handler !== undefined) {
    context.servedPath = withoutSlash(path);
    return handler(request, response);
  }
  const registration = deps.remote.ofDocument(path);
  if (registration !== undefined && deps.started())
    return deps.remote.answerDocument(request, response, { ...info, registration });
  const document = withoutSlash(path);
  if (path.startsWith(GROUPS) && deps.discovery.find(document) === undefined && deps.started())
    await deps.awaitDefinitions();
  if (deps.discovery.find(document) !== undefined) {
    if (!READING_METHODS.includes(method)) throw methodNotAllowed(response, READING_METHODS);
    await answerDiscovery(deps.discovery, request, response, document);
    return;
  }
  for (const [root, tree] of deps.trees) {
    if (!path.startsWith(root)) continue;
    context.servedPath = root.slice(0, -1);
    return tree(request, response);
  }
  for (const endpoint of ALL_ENDPOINTS) {
    const check = path.slice(endpoint.length + 2);
    if (path !== `/${endpoint}` && !(path.startsWith(`/${endpoint}/`) && check !== "")) continue;
    context.servedPath = `/${endpoint}`;
    if (await answerHealth(deps.health, request, response, { endpoint, check })) return;
  }
  context.servedPath = undefined;
  if (path.startsWith(GROUPS)) requireOwnGroup(deps, path.slice(GROUPS.length).split("/")[0] ?? "");
  answerUnknownPath(deps, response);
}

/** @throws StatusError NotFound (404) for a group of the other vocabulary */
function requireOwnGroup({ vocabulary }: DispatchDeps, group: string): void {
  const hint = otherVocabularyHint(vocabulary, group);
  if (hint !== undefined) throw routerNotFound(hint);
}

const GROUPS = "/apis/";

/** Discovery documents are served with a trailing slash too. */
const withoutSlash = (path: string): string => (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path);

function answerUnknownPath({ discovery }: DispatchDeps, response: ApiResponse): void {
  answerJson(response, 404, discovery.paths(), 2);
}
