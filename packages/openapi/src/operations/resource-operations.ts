// The operations of one resource in one version, except for the deprecated watch paths.

import type { Route } from "@orch/request";
import type { RuntimeType } from "@orch/schema";
import { creating, deleting, type Place, patching, reading, replacing } from "./item-operations";
import { listTypeOf } from "./list-type";
import { knownType, META } from "./meta-types";
import type { Operation } from "./operation";
import { kindOf, type OperationNaming, withArticle } from "./operation-names";
import {
  DELETE_PARAMETERS,
  LIST_PARAMETERS,
  listParametersOf,
  QUESTION_PARAMETERS,
  type QueryParameterName,
} from "./operation-parameters";
import { placeOf } from "./route-place";

export function resourceOperations(route: Route, naming: OperationNaming): readonly Operation[] {
  const { definition, version, verbs } = route;
  const { schema } = naming;
  const { root, document, tag, collection, inNamespace, group, scope } = placeOf(route, naming);
  const subject = `${group}${scope}${version.kind}`;
  const shared = { document, tag, kind: kindOf(version), type: version.type.struct, what: withArticle(version.kind) };
  const all: Place = { ...shared, path: collection, placeholders: inNamespace };
  const one: Place = { ...shared, path: `${collection}/{name}`, placeholders: ["name", ...inNamespace] };
  const status = knownType(schema, META, "Status");

  const operations: Operation[] = [];
  if (verbs.has("list")) {
    const list = listTypeOf(route, schema);
    const questions = questionParametersOf(verbs);
    operations.push(listing(all, `list${subject}`, list, questions));
    if (scope !== "") {
      const everywhere = { ...all, path: `${root}/${definition.plural}`, placeholders: [] };
      operations.push(listing(everywhere, `list${group}${version.kind}ForAllNamespaces`, list, questions));
    }
  }
  if (verbs.has("create")) operations.push(creating(all, `create${subject}`));
  if (verbs.has("deletecollection")) {
    const id = `delete${group}Collection${scope}${version.kind}`;
    operations.push(deletingCollection(all, id, status, naming));
  }
  if (verbs.has("get")) operations.push(reading(one, `read${subject}`, ["resourceVersion", "fields"]));
  if (verbs.has("update")) operations.push(replacing(one, `replace${subject}`));
  if (verbs.has("patch")) operations.push(patching(one, `patch${subject}`, schema));
  if (verbs.has("delete")) {
    const answer = definition.deleteReturnsObject ? one.type : status;
    operations.push(deleting({ ...one, type: answer }, `delete${subject}`, schema));
  }
  return operations;
}

/** A computed list, which cannot be watched either, has no order. */
const questionParametersOf = (verbs: ReadonlySet<string>): Operation["query"] =>
  verbs.has("watch") ? QUESTION_PARAMETERS : QUESTION_PARAMETERS.filter((parameter) => parameter !== "sortBy");

function listing(place: Place, operationId: string, list: RuntimeType, questions: Operation["query"]): Operation {
  return {
    ...reading({ ...place, type: list }, operationId, [...listParametersOf(place.kind), ...questions]),
    summary: `Lists or watches objects of kind ${place.kind.kind}.`,
    marks: { action: "list", kind: place.kind },
    answersIn: "streams",
  };
}

function deletingCollection(
  place: Place,
  operationId: string,
  status: RuntimeType,
  { schema }: OperationNaming,
): Operation {
  return {
    ...deleting({ ...place, type: status }, operationId, schema),
    summary: `Deletes every ${place.kind.kind} that the selectors match.`,
    marks: { action: "deletecollection", kind: place.kind },
    query: [...LIST_PARAMETERS.filter((parameter) => !WATCH_ONLY.has(parameter)), ...DELETE_PARAMETERS],
    codes: [200],
  };
}

const WATCH_ONLY: ReadonlySet<QueryParameterName> = new Set([
  "watch",
  "allowWatchBookmarks",
  "sendInitialEvents",
  "timeoutSeconds",
]);
