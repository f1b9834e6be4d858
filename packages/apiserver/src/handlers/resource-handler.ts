// Dispatches a resource request to the handler of its verb.
import { badRequest, ManyValuesError, requestEntityTooLarge, requireQuestions, TOO_LARGE_TEXT } from "@orch/machinery";
import { handleConnection } from "@orch/proxy";
import type { ApiRequest, ApiResponse, CollectionRequest, ItemRequest, ServedRequest } from "@orch/request";
import { MANY_VALUES } from "@orch/schema";
import { carryOutWrite, isWrite, requireGate, type WriteRequest } from "./carry-out-write";
import { deleteCollection } from "./delete-collection";
import { getObject } from "./get";
import type { HandlerDeps, VerbHandler } from "./handler";
import { isLargeWrite, requireBearable, requireShortQuestion, writeInWorker } from "./large-write";
import { listObjects } from "./list";
import { answerDeleted, answerHistory } from "./object-history";
import { createVirtual } from "./virtual/virtual-resource";
import { watchObjects } from "./watch";

type ReadVerb = Exclude<(CollectionRequest | ItemRequest)["verb"], WriteRequest["verb"]>;

const HANDLERS: Readonly<Record<ReadVerb, VerbHandler>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  deletecollection: deleteCollection,
};

/** Answers the request. @throws StatusError to be answered */
export function handleResource(
  deps: HandlerDeps,
  request: ApiRequest,
  response: ApiResponse,
  info: ServedRequest,
): void | Promise<void> {
  if (info.kind === "connection") return handleConnection(deps.connections, { request, response, info });
  if (!deps.gates.DryRun && info.query?.has("dryRun")) throw badRequest("dryRun: the feature gate DryRun is disabled");
  if (info.explains) requireExplainable(info);
  if (info.query !== undefined) requireQuestions(info.query, info.verb);
  const { route } = info;
  if (route.deprecation !== undefined) deps.deprecatedRequest(request, route);
  if (info.kind === "history") {
    const carryOut = (inner: ApiRequest, answer: ApiResponse, instead: WriteRequest) =>
      write(deps, inner, answer, instead);
    return answerHistory(deps, { request, response, info }, carryOut);
  }
  if (isWrite(info)) return write(deps, request, response, info);
  switch (info.kind) {
    case "question":
      requireShortQuestion(request);
      return createVirtual(deps, { request, response, info }).catch(tooLarge);
    case "item":
    case "collection":
      requireGate(deps, info.route);
      if (info.verb === "list" && info.query?.has("history")) return answerDeleted(deps, { request, response, info });
      return HANDLERS[info.verb as ReadVerb](deps, { request, response, info });
  }
}

/** @throws StatusError BadRequest (400) */
function requireExplainable({ verb, query }: ServedRequest): void {
  if (verb === "deletecollection") throw badRequest("admission=explain: must be a request for one object");
  if (query?.get("dryRun") !== "All") throw badRequest("admission=explain: requires dryRun=All");
}

/** Carries out a write; one that is too large for this thread goes to a large-object worker. */
function write(
  deps: HandlerDeps,
  request: ApiRequest,
  response: ApiResponse,
  info: WriteRequest,
): void | Promise<void> {
  const { largeObjectWorkers } = deps;
  const isLarge = isLargeWrite(request, info);
  const elsewhere = largeObjectWorkers === undefined || !info.route.inWorkers ? undefined : largeObjectWorkers;
  if (isLarge && elsewhere !== undefined)
    return writeInWorker({ acknowledged: deps.acknowledged, largeObjectWorkers: elsewhere }, request, response, info);
  if (isLarge) requireBearable(request.context.body);
  const { context } = request;
  const warned = context.warnings?.length ?? 0;
  // The size of an object in another version, the cost of its rules and the changes of webhooks are known only during
  // the write.
  return carryOutWrite(deps, request, response, info)?.catch((error: unknown) => {
    if (elsewhere === undefined) return tooLarge(error);
    if (!(error instanceof ManyValuesError)) throw error;
    context.warnings?.splice(warned);
    return writeInWorker({ acknowledged: deps.acknowledged, largeObjectWorkers: elsewhere }, request, response, info);
  });
}

/** No other thread is available. @throws StatusError RequestEntityTooLarge (413); other errors unchanged */
function tooLarge(error: unknown): never {
  if (!(error instanceof ManyValuesError)) throw error;
  throw requestEntityTooLarge(TOO_LARGE_TEXT.values(MANY_VALUES));
}
