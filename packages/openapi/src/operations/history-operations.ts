// Operations of the history of objects, where the resource has one. Source: docs/history.md.
import { type Route, revisionListKind } from "@orch/request";
import { revisionListType } from "./answer-types";
import { type Place, reading } from "./item-operations";
import type { Operation } from "./operation";
import { capitalized, type OperationNaming, withArticle } from "./operation-names";
import { type QueryParameter, WRITE_PARAMETERS } from "./operation-parameters";
import { placeOf, placeOfPart } from "./route-place";

export type HistoryRoute = Route & { readonly history: NonNullable<Route["history"]> };

/** Where the annotation of a namespace decides, the subresources are served without being published. */
export function historyOperations(route: HistoryRoute, naming: OperationNaming): readonly Operation[] {
  const { version, history } = route;
  if (!history.isListed) return [];
  const { group, scope } = placeOf(route, naming);
  const subject = `${group}${scope}${version.kind}${capitalized(history.part)}`;
  const place = placeOfPart(route, naming, version.type.struct);
  const what = withArticle(version.kind);
  switch (history.part) {
    case "history": {
      const list = {
        ...place,
        type: revisionListType(naming.schema),
        kind: revisionListKind(naming.schema.vocabulary),
      };
      return [
        {
          ...reading(list, `read${subject}`),
          summary: `Lists the recorded writes of ${what}, the newest first; with revision, returns a former state.`,
          options: { limit: LIMIT, revision: revisionOf("state to return, instead of the list") },
        },
      ];
    }
    case "rollback":
      return [
        {
          ...acting(place, `create${subject}`),
          summary: `Updates ${what} to a former state.`,
          options: { revision: { ...revisionOf("state to go back to"), required: true }, resourceVersion: REPLACED },
          codes: [200],
        },
      ];
    case "restore":
      return [
        {
          ...acting(place, `create${subject}`),
          summary: `Creates a deleted ${version.kind} again.`,
          options: { revision: revisionOf("state to restore; default: the last one") },
          codes: [201],
        },
      ];
  }
}

/** The write has no body: the server takes the object from the history. */
const acting = (place: Place, operationId: string) =>
  ({
    ...reading(place, operationId, WRITE_PARAMETERS),
    method: "post",
    marks: { action: "post", kind: place.kind },
  }) as const;

const revisionOf = (what: string): QueryParameter => ({
  type: "string",
  description: `Resource version of the ${what}.`,
});

const LIMIT: QueryParameter = {
  type: "integer",
  description: "Maximum number of recorded writes in the answer. Default: 100.",
};
const REPLACED: QueryParameter = {
  type: "string",
  description: "Resource version that the object must have; the write is refused with 409 otherwise.",
};
