import {
  checkSelectable,
  type ListOptions,
  MOST_RECENT,
  parseListOptions,
  type SelectionOptions,
} from "@orch/machinery";
import type { ListResult, Selection } from "@orch/registry";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerList } from "./list-answer";
import type { ResourceRoute } from "./resource-route";
import { warnOfUnreadable } from "./unreadable-warning";

const EVERYTHING: ListOptions = { labels: undefined, fields: [], read: MOST_RECENT, limit: 0, continueToken: "" };

export async function listObjects(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const form = deps.forms.for(asked, "list");
  await answerList(asked.response, form, await listFor(deps, asked), deps.pieces);
}

/** What the query of a list, or of a deletion of many, selects; `chunked` when it asks for a part. */
export async function listFor(
  deps: HandlerDeps,
  asked: ResourceRequest,
): Promise<ListResult & { readonly chunked: boolean }> {
  const { request, route, key } = asked;
  const { query } = request.context.info;
  const asIs = query === undefined ? EVERYTHING : parseListOptions(query, deps.vocabulary);
  const options = deps.gates.APIListChunking ? asIs : { ...asIs, limit: 0, continueToken: "" };
  const result = await route.storage.list({
    namespace: key.namespace,
    read: options.read,
    selection: selectionOf(options, route),
    limit: options.limit,
    ...(options.continueToken === "" ? {} : { continueToken: options.continueToken }),
  });
  warnOfUnreadable(asked);
  return { chunked: options.limit > 0 || options.continueToken !== "", ...result };
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
