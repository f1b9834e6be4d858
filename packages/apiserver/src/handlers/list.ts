import {
  BAD_REQUEST_TEXT,
  badRequest,
  checkSelectable,
  type ListOptions,
  MOST_RECENT,
  parseListOptions,
  requiredValue,
  type SelectionOptions,
} from "@orch/machinery";
import type { NameSet, Selection } from "@orch/registry";
import { preparedFor } from "../representations/forms/answer-forms";
import type { ListAnswer } from "../representations/forms/object-form";
import type { ResourceRoute } from "../routes/resource-route";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerList } from "./list-answer";
import { warnOfUnreadable } from "./unreadable-warning";

const EVERYTHING: ListOptions = { labels: undefined, fields: [], read: MOST_RECENT, limit: 0, continueToken: "" };

export async function listObjects(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const form = deps.forms.for(asked, "list");
  const listed = await listFor(deps, asked);
  const { route } = asked.info;
  if (route.storage.prepare !== undefined) await preparedFor(route, listed.entries, asked.request.context.end);
  await answerList(asked.response, form, listed, deps);
}

/** What the query of a list, or of a deletion of many, selects; `chunked` when it asks for a part. */
export async function listFor(deps: HandlerDeps, asked: ResourceRequest): Promise<ListAnswer> {
  const { route, key, query } = asked.info;
  const { loop } = deps;
  const startMs = loop.nowMs;
  const asIs = query === undefined ? EVERYTHING : parseListOptions(query, deps.vocabulary);
  const options = deps.gates.APIListChunking ? asIs : { ...asIs, limit: 0, continueToken: "" };
  const selection = selectionOf(narrowed(options, key.name), route);
  const wanted = {
    namespace: key.namespace,
    read: options.read,
    selection: isAccessibleOnly(asked.info) ? { ...selection, name: accessibleName(deps, asked) } : selection,
    limit: options.limit,
    ...(options.continueToken === "" ? {} : { continueToken: options.continueToken }),
  };
  // Selectors are as long as a request's head may be.
  if (loop.isOverSince(startMs)) await loop.next();
  const result = await route.storage.list(wanted, { signal: asked.request.context.end });
  warnOfUnreadable(asked);
  return { chunked: options.limit > 0 || options.continueToken !== "", ...result };
}

export const isAccessibleOnly = (info: ResourceRequest["info"]): boolean =>
  info.kind === "collection" && info.accessibleOnly;

/** Looked up when the first name is asked about: the state is there then that the list is of. */
function accessibleName({ accessible }: HandlerDeps, { request }: ResourceRequest): (name: string) => boolean {
  let now: NameSet | undefined;
  return (name) => {
    now ??= accessible.of(request.context.user).now();
    return now.has(name);
  };
}

/**
 * Of what is selected, no more than the one object that the request names: by its path, `/watch/…/<name>`, or by a field selector. It
 * is the one that was authorized.
 * @param name "" where none is named
 * @throws StatusError BadRequest (400) for a selector that names another one
 */
export function narrowed<Options extends SelectionOptions>(options: Options, name: string): Options {
  if (name === "") return options;
  const selected = requiredValue(options.fields, "metadata.name");
  if (selected === name) return options;
  if (selected !== undefined) throw badRequest(BAD_REQUEST_TEXT.fieldSelectorName());
  return { ...options, fields: [...options.fields, { field: "metadata.name", operator: "=", value: name }] };
}

const NO_SELECTION: Selection = {};

/** @throws StatusError BadRequest (400) for a field that the resource cannot be selected by in this version */
export function selectionOf(options: SelectionOptions, route: ResourceRoute): Selection {
  const { labels, fields } = options;
  if (labels === undefined && fields.length === 0) return NO_SELECTION;
  checkSelectable(fields, route.definition, route.version);
  return {
    ...(labels === undefined ? {} : { labels: labels.matches }),
    ...(fields.length === 0 ? {} : { fields }),
  };
}
