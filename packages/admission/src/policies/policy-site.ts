// Variables and types that a policy expression may use. All variables get their values from one list, in the order of
// PLACE.
import { type CelType, DYN, opaqueOf, type RequestSite, STRING, type StructDeclaration } from "@orch/expressions";
import type { Vocabulary } from "@orch/schema";
import { authorizerType, requestTypes, resourceCheckType } from "./request-types";

/** Types of the objects: dynamic for evaluation, the type of a kind for type checking. */
export interface KnownTypes {
  readonly object: CelType;
  readonly params: CelType;
}

/** The constants of the expression language are read on use: a start without policies does not load the language. */
export const unknownTypes = (): KnownTypes => ({ object: DYN, params: DYN });

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
    known(hasAuthorizer, "authorizer", authorizerType()),
    known(hasAuthorizer, "authorizer.requestResource", resourceCheckType()),
    known(hasParams, "params", types.params),
    known(variables !== undefined, "variables", { kind: "object", name: "variables", fields: variables ?? NONE }),
  ];
}

/** Name of an unavailable variable. No expression can spell it. */
const UNSPELT = "-";
const NONE: ReadonlyMap<string, CelType> = new Map();

const OBJECT = /^Object(\.[a-zA-Z_][a-zA-Z0-9_]*)*$/;

const PATCH_TEXTS: readonly string[] = ["op", "path", "from"];

/**
 * Declares the types of mutations, which are `Object`, `Object.spec.template` and `JSONPatch`. Whether a type fits its
 * path is checked when the value is built. Source: KEP-3962, "Mutating Admission Policies".
 */
export function mutationStructs(typeName: string): StructDeclaration | undefined {
  if (typeName === "JSONPatch") return { type: opaqueOf(typeName), field: patchField };
  return OBJECT.test(typeName) ? { type: opaqueOf(typeName), field: () => DYN } : undefined;
}

function patchField(name: string): CelType | undefined {
  if (name === "value") return DYN;
  return PATCH_TEXTS.includes(name) ? STRING : undefined;
}
