// Variables that a policy expression may use. All get their values from one list, in the order of PLACE.
import { type CelType, DYN, type RequestSite } from "@orch/expressions";
import type { Vocabulary } from "@orch/schema";
import { AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE, requestTypes } from "./request-types";

/** Types of the objects: dynamic for evaluation, the type of a kind for type checking. */
export interface KnownTypes {
  readonly object: CelType;
  readonly params: CelType;
}

export const UNKNOWN: KnownTypes = { object: DYN, params: DYN };

export interface SiteParts {
  readonly vocabulary: Vocabulary;
  readonly types: KnownTypes;
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Variables declared so far, keyed by name. Absent: `variables` is not available. */
  readonly variables?: ReadonlyMap<string, CelType>;
}

/** Positions in the list of values. */
export const PLACE = {
  object: 0,
  oldObject: 1,
  request: 2,
  namespaceObject: 3,
  authorizer: 4,
  requestResource: 5,
  params: 6,
  variables: 7,
} as const;

export function policySite({
  vocabulary,
  types,
  hasParams,
  hasAuthorizer,
  variables,
}: SiteParts): RequestSite["variables"] {
  const { request, namespace } = requestTypes(vocabulary);
  const known = (is: boolean, name: string, type: CelType) => ({ name: is ? name : UNSPELT, type });
  return [
    { name: "object", type: types.object },
    { name: "oldObject", type: types.object },
    { name: "request", type: request },
    { name: "namespaceObject", type: namespace.type },
    known(hasAuthorizer, "authorizer", AUTHORIZER_TYPE),
    known(hasAuthorizer, "authorizer.requestResource", RESOURCE_CHECK_TYPE),
    known(hasParams, "params", types.params),
    known(variables !== undefined, "variables", { kind: "object", name: "variables", fields: variables ?? NONE }),
  ];
}

/** Name of an unavailable variable. No expression can spell it. */
const UNSPELT = "-";
const NONE: ReadonlyMap<string, CelType> = new Map();
