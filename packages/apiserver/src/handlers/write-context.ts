// Context that every write passes to the registry.
import { managerName, writeTimeoutMs } from "@orch/machinery";
import type { ClientOptions, PatchContext } from "@orch/registry";
import { type ApiRequest, NO_QUERY, type ServedRequest } from "@orch/request";
import { requireAllowed } from "../pipeline/authorization";
import type { ResourceRequest, WriteDeps } from "./handler";

/** One object shape for all writes: adding members by spread costs as much as the rest of the handler. */
export function writeContext(
  { request, info }: { readonly request: ApiRequest; readonly info: ServedRequest },
  options: { readonly dryRun: boolean } & Partial<ClientOptions>,
  { subresource, pathName, beforeCreate, noticed = IGNORED }: OfSomeWrites = NOTHING,
): PatchContext {
  const { context } = request;
  const { fieldManager = "", fieldValidation = "Warn" } = options;
  // A write that is only explained is always a dry run, whatever the options in the body say.
  const dryRun = options.dryRun || info.explains;
  if (dryRun) context.dryRun = "All";
  const { user, end: signal } = context;
  return {
    version: info.route.version,
    user,
    manager: managerOf(request, fieldManager),
    verb: info.verb,
    userAgent: request.headers["user-agent"],
    dryRun,
    options: { fieldManager, fieldValidation },
    subresource,
    pathName,
    signal,
    warn: (text) => context.warn(text),
    annotate: (key, value, level) => context.annotate(key, value, level),
    beforeCreate,
    trace: context.trace,
    span: context.span,
    noticed,
    changed: context.tellsChanges
      ? (paths) => {
          context.changedFields = paths;
        }
      : undefined,
  };
}

type OfSomeWrites = Partial<Pick<PatchContext, "subresource" | "pathName" | "beforeCreate" | "noticed">>;

const NOTHING: OfSomeWrites = {};
const IGNORED = (): void => {};

/** Cached by user agent: few programs send many writes. */
const managersByAgent = new Map<string, string>();
const AGENTS_MAX = 1000;

function managerOf(request: ApiRequest, fieldManager: string): string {
  if (fieldManager !== "") return fieldManager;
  const userAgent = request.headers["user-agent"] ?? "";
  let manager = managersByAgent.get(userAgent);
  if (manager === undefined) {
    manager = managerName({ fieldManager, userAgent });
    if (managersByAgent.size >= AGENTS_MAX) managersByAgent.clear();
    managersByAgent.set(userAgent, manager);
  }
  return manager;
}

/** Authorizes requests that create an object with another verb. @throws StatusError Forbidden (403) */
export function authorizeCreation({ authorizer }: WriteDeps, { request }: ResourceRequest): void | Promise<void> {
  return requireAllowed(authorizer, request, "create");
}

/**
 * Applies the client's `timeout` parameter to a write, when it is shorter than the timeout of the server.
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go.
 */
export function boundWrite({ request, info }: { readonly request: ApiRequest; readonly info: ServedRequest }): void {
  const { context } = request;
  const timeoutMs = writeTimeoutMs(info.query ?? NO_QUERY);
  if (timeoutMs >= context.timeoutMs) return;
  context.timeoutMs = timeoutMs;
  context.timeoutFromClient = true;
  context.deadline = context.receivedAt + timeoutMs;
}
