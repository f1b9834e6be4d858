import {
  BAD_REQUEST_TEXT,
  badRequest,
  checkSelectable,
  type ListOptions,
  MOST_RECENT,
  parseFields,
  parseListOptions,
  requiredValue,
  type SelectionOptions,
} from "@orch/machinery";
import type { NameSet, Selection } from "@orch/registry";
import { type ListAnswer, preparedFor, type ResourceRoute } from "@orch/request";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerList } from "./list-answer";
import { warnOfUnreadable } from "./unreadable-warning";

const EVERYTHING: ListOptions = { labels: undefined, fields: [], read: MOST_RECENT, limit: 0, continueToken: "" };

export async function listObjects(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { query } = asked.info;
  const fields = query === undefined ? undefined : parseFields(query);
  const form = fields === undefined ? deps.forms.for(asked, "list") : deps.forms.projected(asked, fields);
  const listed = await listFor(deps, asked);
  const { route } = asked.info;
  if (route.storage.prepare !== undefined) await preparedFor(route, listed.entries, asked.request.context.end);
  await answerList(asked.response, form, listed, deps);
}

/** Reads the list that a query or a collection deletion selects; `chunked` when it has a limit. */
export async function listFor(deps: HandlerDeps, asked: ResourceRequest): Promise<ListAnswer> {
  const { route, key, query } = asked.info;
  const { loop } = deps;
  const startMs = loop.nowMs;
  const asIs = query === undefined ? EVERYTHING : parseListOptions(query, deps.vocabulary, shardsOf(deps));
  const options = deps.gates.APIListChunking ? asIs : { ...asIs, limit: 0, continueToken: "" };
  const selection = selectionOf(narrowed(options, key.name), route);
  const wanted = {
    namespace: key.namespace,
    read: options.read,
    selection: isAccessibleOnly(asked.info) ? { ...selection, name: accessibleName(deps, asked) } : selection,
    limit: options.limit,
    ...(options.continueToken === "" ? {} : { continueToken: options.continueToken }),
    ...(options.count && { count: options.count }),
    ...(options.order && { order: { ...options.order, version: route.version } }),
  };
  // Selectors may be as long as the head of a request.
  if (loop.isOverSince(startMs)) await loop.next();
  const result = await route.storage.list(wanted, { signal: asked.request.context.end });
  warnOfUnreadable(asked);
  return {
    chunked: options.limit > 0 || options.continueToken !== "",
    counted: options.count === true,
    ...(options.shard === undefined ? {} : { shard: options.shard.text }),
    ...result,
  };
}

/** Whether the parameter shardSelector is understood. */
export const shardsOf = ({ gates }: Pick<HandlerDeps, "gates">) => ({ shards: gates.ShardedListAndWatch });

export const isAccessibleOnly = (info: ResourceRequest["info"]): boolean =>
  info.kind === "collection" && info.accessibleOnly;

/** Evaluated with the first name, when the state of the list is known. */
function accessibleName({ accessible }: HandlerDeps, { request }: ResourceRequest): (name: string) => boolean {
  let now: NameSet | undefined;
  return (name) => {
    now ??= accessible.of(request.context.user).now();
    return now.has(name);
  };
}

/**
 * Narrows the selection to the named object: by its path, `/watch/…/<name>`, or by a field selector. This name was
 * authorized.
 * @param name "" for none
 * @throws StatusError BadRequest (400) for a selector of another name
 */
export function narrowed<Options extends SelectionOptions>(options: Options, name: string): Options {
  if (name === "") return options;
  const selected = requiredValue(options.fields, "metadata.name");
  if (selected === name) return options;
  if (selected !== undefined) throw badRequest(BAD_REQUEST_TEXT.fieldSelectorName());
  return { ...options, fields: [...options.fields, { field: "metadata.name", operator: "=", value: name }] };
}

const NO_SELECTION: Selection = {};

/** @throws StatusError BadRequest (400) for a field selector that the resource does not support in this version */
export function selectionOf(options: SelectionOptions, route: ResourceRoute): Selection {
  const { labels, fields, shard } = options;
  if (labels === undefined && fields.length === 0 && shard === undefined) return NO_SELECTION;
  checkSelectable(fields, route.definition, route.version);
  return {
    ...(labels === undefined ? {} : { labels: labels.matches }),
    ...(fields.length === 0 ? {} : { fields }),
    ...(shard === undefined ? {} : { shard }),
  };
}
