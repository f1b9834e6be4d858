// The subresources of the history of an object: the list of its revisions, one state, and the writes that bring a state
// back. Such a write takes the whole way of an update or a creation, with the rights of the client. Source:
// docs/history.md.
import { badRequest, MOST_RECENT, notFound, StatusError } from "@orch/machinery";
import type { Entry, ObjectHistory, ObjectRevision } from "@orch/registry";
import {
  type ApiRequest,
  type ApiResponse,
  type CollectionRequest,
  documentForm,
  type HistoryRequest,
  type ItemRequest,
  NO_QUERY,
  preparedFor,
  type ResourceRoute,
  readRequestInfo,
  renderDeferred,
} from "@orch/request";
import { transferredRequest } from "../large-objects/transferred-request";
import { requireAllowed } from "../pipeline/authorization";
import { isWrite, type WriteRequest } from "./carry-out-write";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerObject } from "./object-answer";

export interface HistoryAsked {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly info: HistoryRequest;
}

/** Carries out a write of the object, here or in a large-object worker. */
type CarryOut = (request: ApiRequest, response: ApiResponse, info: WriteRequest) => void | Promise<void>;

/** Parameters of each subresource; the writes have those of other writes too. */
const WRITE_PARAMETERS = ["dryRun", "fieldManager", "fieldValidation", "pretty", "timeout"];
const PARAMETERS = {
  history: ["revision", "limit", "pretty", "timeout"],
  rollback: ["revision", "resourceVersion", ...WRITE_PARAMETERS],
  restore: ["revision", ...WRITE_PARAMETERS],
} as const satisfies Readonly<Record<HistoryRequest["route"]["history"]["part"], readonly string[]>>;

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

/** Answers the request. @throws StatusError to be answered */
export async function answerHistory(deps: HandlerDeps, asked: HistoryAsked, carryOut: CarryOut): Promise<void> {
  const { route, query = NO_QUERY } = asked.info;
  requireKnown(query, PARAMETERS[route.history.part], `the subresource ${route.history.part}`);
  switch (route.history.part) {
    case "history":
      return query.has("revision") ? answerState(deps, asked) : answerRevisions(deps, asked);
    case "rollback":
      return rollBack(deps, asked, carryOut);
    case "restore":
      return restore(deps, asked, carryOut);
  }
}

async function answerRevisions(deps: HandlerDeps, { request, response, info }: HistoryAsked): Promise<void> {
  const { route, key, query = NO_QUERY } = info;
  const form = documentForm(request, undefined);
  const limit = limitIn(query);
  const withPatches = await maySee(deps, request);
  const { version } = route;
  const options = { version, limit, withPatches, signal: request.context.end };
  const { resourceVersion, revisions, remaining } = await historyOf(info).revisions(key, options);
  // An object that was not written since the history was switched on has none, and a missing object is an error.
  if (revisions.length === 0) await route.storage.get(key, MOST_RECENT, { signal: request.context.end });
  const document = {
    kind: "RevisionList",
    apiVersion: `${deps.vocabulary.groups.meta}/v1`,
    metadata: {
      resourceVersion: String(resourceVersion),
      ...(remaining > 0 && { remainingItemCount: remaining }),
    },
    items: revisions.map((each) => shown(each, withPatches)),
  };
  return request.context.worked(() => answerObject(response, 200, form.contentType, form.bytes(document)));
}

function shown({ resourceVersion, replaces, patch, note, ...about }: ObjectRevision, withPatches: boolean): object {
  const texts = Object.entries(about).filter(([, text]) => text !== "");
  const hidden = withPatches || about.change !== "updated" ? undefined : HIDDEN;
  const told = note ?? hidden;
  return {
    resourceVersion: String(resourceVersion),
    ...(replaces > 0 && { replaces: String(replaces) }),
    ...Object.fromEntries(texts),
    ...(patch !== undefined && { patch }),
    ...(told !== undefined && { note: told }),
  };
}

const HIDDEN = 'the patch requires the verb "get" on the object';

async function answerState(deps: HandlerDeps, asked: HistoryAsked): Promise<void> {
  const { request, response, info } = asked;
  await requireAllowed(deps.authorizer, request, "get", { subresource: "" });
  const item = ofObject(deps, asked, "GET");
  const form = deps.forms.for({ request, info: item }, "object");
  const entry = await stateFor(asked, item.route, requiredRevision(info));
  const answer = (body: Buffer) => answerObject(response, 200, form.contentType, body);
  return request.context.worked(() => {
    const body = renderDeferred(form, item.route, entry);
    return body instanceof Promise ? body.then(answer) : answer(body);
  });
}

async function rollBack(deps: HandlerDeps, asked: HistoryAsked, carryOut: CarryOut): Promise<void> {
  const { request, info } = asked;
  const { query = NO_QUERY } = info;
  const revision = requiredRevision(info);
  const only = query.get("resourceVersion") ?? "";
  if (only !== "") readRevision("resourceVersion", only);
  await requireAllowed(deps.authorizer, request, "get", { subresource: "" });
  await requireAllowed(deps.authorizer, request, "update", { subresource: "" });
  const item = ofObject(deps, asked, "PUT");
  const present = await presentObject(asked, item.route);
  // Updates of some kinds, such as custom resources, must name the replaced version.
  const isFree = item.route.definition.strategy.unconditionalUpdate;
  const replaced = only !== "" || isFree ? only : String(present.resourceVersion);
  const entry = await stateFor(asked, item.route, revision);
  return insteadOf(asked, item, historyOf(info).bodyOf(entry, item.route.version, replaced), carryOut);
}

async function restore(deps: HandlerDeps, asked: HistoryAsked, carryOut: CarryOut): Promise<void> {
  const { request, info } = asked;
  const { query = NO_QUERY } = info;
  const revision = query.has("revision") ? requiredRevision(info) : undefined;
  await requireAllowed(deps.authorizer, request, "get", { subresource: "" });
  await requireAllowed(deps.authorizer, request, "create", { subresource: "", name: "" });
  const item = ofObject(deps, asked, "POST");
  const entry = await stateFor(asked, item.route, revision);
  return insteadOf(asked, item, historyOf(info).bodyOf(entry, item.route.version, ""), carryOut);
}

/** @throws StatusError NotFound (404) */
async function presentObject({ request, info: { key } }: HistoryAsked, { storage }: ResourceRoute): Promise<Entry> {
  try {
    return await storage.get(key, MOST_RECENT, { signal: request.context.end });
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
    throw new StatusError("NotFound", `${error.message}: POST …/${key.name}/restore makes it again`, error.details);
  }
}

/** Returns a kept state, ready to be shown in the version of the route. */
async function stateFor(
  { request, info }: HistoryAsked,
  route: ResourceRoute,
  revision: number | undefined,
): Promise<Entry> {
  const entry = await historyOf(info).state(info.key, revision, { signal: request.context.end });
  if (route.storage.prepare !== undefined) await preparedFor(route, [entry], request.context.end);
  return entry;
}

/** Returns the request of this method for the object itself; POST: for its collection. */
function ofObject(
  { routes }: HandlerDeps,
  { request, info }: HistoryAsked,
  method: "GET" | "PUT" | "POST",
): CollectionRequest | ItemRequest {
  const ends = method === "POST" ? 2 : 1;
  const path = info.path.replace(/\/+$/, "").split("/").slice(0, -ends).join("/");
  const query = new URLSearchParams(info.query);
  for (const own of ["revision", "resourceVersion", "limit"]) query.delete(own);
  const target = query.size === 0 ? path : `${path}?${query}`;
  const found = readRequestInfo(method, target, routes);
  if ((found.kind !== "item" && found.kind !== "collection") || found.route.definition.plural !== info.resource)
    throw notFound({ group: info.group, resource: info.resource }, request.context.target);
  return found;
}

/** Carries out another write in place of the request, which keeps its user, its deadline and its place in the audit. */
async function insteadOf(
  { request, response, info }: HistoryAsked,
  item: CollectionRequest | ItemRequest,
  body: Buffer,
  carryOut: CarryOut,
): Promise<void> {
  if (!isWrite(item)) throw new Error(`${item.path} is not a path of a writable resource`);
  const { context, httpVersionMajor } = request;
  const { "content-encoding": _, "content-length": __, ...headers } = request.headers;
  const target = `${item.path}${item.search}`;
  const inner = transferredRequest(
    {
      ...{ method: item.method, url: target, httpVersionMajor },
      headers: { ...headers, "content-type": "application/json" },
    },
    context,
  );
  inner.res = response;
  const { body: sent, target: sentTo } = context;
  Object.assign(context, { body, target, info: item });
  try {
    await carryOut(inner, response, item);
  } finally {
    Object.assign(context, { body: sent, target: sentTo, info });
  }
}

/** Answers `GET …?history=deleted` on a collection. The parameter leaves every object name to the objects. */
export async function answerDeleted(deps: HandlerDeps, { request, response, info }: ResourceRequest): Promise<void> {
  const { route, query = NO_QUERY, key } = info;
  requireKnown(query, ["history", "limit", "continue", "pretty", "timeout"], "a list with history=deleted");
  if (query.get("history") !== "deleted")
    throw badRequest(`history: ${JSON.stringify(query.get("history"))} is unknown: use history=deleted`);
  await requireAllowed(deps.authorizer, request, "list", { subresource: "history" });
  const { history } = route.storage;
  if (history === undefined) throw badRequest(`history: the objects of ${info.resource} have no history`);
  const form = documentForm(request, undefined);
  const after = query.get("continue") ?? "";
  const isElsewhere = after !== "" && key.namespace !== "" && !after.startsWith(`${key.namespace}/`);
  if (after.length > CONTINUE_MAX || !CONTINUE.test(after) || isElsewhere)
    throw badRequest("continue: the value is not one of a list of deleted objects");
  const listed = await history.deleted(key.namespace, { limit: limitIn(query), after, signal: request.context.end });
  const document = {
    kind: "DeletedObjectList",
    apiVersion: `${deps.vocabulary.groups.meta}/v1`,
    metadata: {
      resourceVersion: String(listed.resourceVersion),
      ...(listed.after !== "" && { continue: listed.after }),
    },
    items: listed.objects.map(({ namespace, resourceVersion, replaces, isKept, userAgent, ...about }) => ({
      ...(namespace !== "" && { namespace }),
      ...about,
      ...(userAgent !== "" && { userAgent }),
      resourceVersion: String(resourceVersion),
      ...(isKept && { lastState: String(replaces) }),
    })),
  };
  return request.context.worked(() => answerObject(response, 200, form.contentType, form.bytes(document)));
}

/** Path of an object: `[<namespace>/]<name>`. */
const CONTINUE = /^([^/\0]+(\/[^/\0]+)?)?$/;
const CONTINUE_MAX = 600;

function historyOf({ route, resource }: HistoryRequest): ObjectHistory {
  const { history } = route.storage;
  if (history === undefined) throw new Error(`${resource} have no history`);
  return history;
}

/** Whether the client may read the object, and with it its former states. */
async function maySee({ authorizer }: HandlerDeps, request: ApiRequest): Promise<boolean> {
  try {
    await requireAllowed(authorizer, request, "get", { subresource: "" });
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.reason === "Forbidden") return false;
    throw error;
  }
}

function requiredRevision({ query = NO_QUERY }: HistoryRequest): number {
  const text = query.get("revision") ?? "";
  if (text === "")
    throw badRequest("revision: the parameter is required: the resource version of a state that GET …/history lists");
  return readRevision("revision", text);
}

function readRevision(parameter: string, text: string): number {
  const revision = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(revision) && revision > 0) return revision;
  throw badRequest(
    `${parameter}: ${JSON.stringify(text.slice(0, SHOWN))} is not a resource version: it must be a decimal number above 0`,
  );
}

const SHOWN = 100;

function limitIn(query: URLSearchParams): number {
  const text = query.get("limit") ?? "";
  if (text === "") return LIMIT_DEFAULT;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit > 0) return Math.min(limit, LIMIT_MAX);
  throw badRequest(
    `limit: ${JSON.stringify(text.slice(0, SHOWN))} must be a number above 0, and an answer has at most ${LIMIT_MAX}`,
  );
}

function requireKnown(query: URLSearchParams, known: readonly string[], where: string): void {
  for (const name of query.keys()) {
    if (known.includes(name)) continue;
    throw badRequest(
      `${JSON.stringify(name.slice(0, SHOWN))} is not a parameter of ${where}: it takes ${known.join(", ")}`,
    );
  }
}
