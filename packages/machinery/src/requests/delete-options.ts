// Options of delete and deletecollection, read from the body or, when it is empty, from the query. Either of them may
// request a dry run. Source: DeleteOptions in staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { type FieldError, invalid, notSupported } from "../errors/field-error";
import { badRequest } from "../errors/request-errors";
import { optionalQueryBoolean, type QueryParameters, queryInteger, refuseInvalid } from "./query-parameters";
import { dryRunErrors, isDryRun } from "./write-options";

export interface DeleteOptions {
  readonly dryRun: boolean;
  /** Undefined: the default of the object or resource. */
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation;
  /** Preconditions; a violation is a Conflict (409). */
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  /** Whether only an object that cannot be read is to be deleted: ignoreStoreReadErrorWithClusterBreakingPotential. */
  readonly ignoresReadError: boolean;
}

/**
 * Propagation policy for dependents. The older `orphanDependents` and the newer `propagationPolicy` exclude each other.
 */
export type Propagation =
  /** Nothing is requested: the object's finalizers decide, then the default of the resource. */
  | { readonly kind: "default" }
  | { readonly kind: "policy"; readonly policy: PropagationPolicy }
  | { readonly kind: "orphanDependents"; readonly orphan: boolean };

type PropagationPolicy = (typeof POLICIES)[number];

const POLICIES = ["Foreground", "Background", "Orphan"] as const;

/**
 * Parses the options.
 * @param features whether the gate AllowUnsafeMalformedObjectDeletion is on; its option is ignored otherwise
 * @param body the decoded DeleteOptions object; undefined when the request has no body
 * @throws StatusError BadRequest (400) for unparsable values; Invalid (422) for values that violate a rule
 */
export function parseDeleteOptions(
  body: JsonObject | undefined,
  query: QueryParameters,
  vocabulary: Vocabulary,
  features: { readonly ignoresReadErrors: boolean } = { ignoresReadErrors: false },
): DeleteOptions {
  const given = body === undefined ? askedByQuery(query) : askedByBody(body, query);
  const asked = { ...given, ignoresReadError: features.ignoresReadErrors && given.ignoresReadError === true };
  const policy = POLICIES.find((each) => each === asked.propagationPolicy);
  refuseInvalid("DeleteOptions", errorsOf(asked, vocabulary), vocabulary);
  return {
    dryRun: isDryRun(asked.dryRun),
    gracePeriodSeconds: asked.gracePeriodSeconds,
    propagation: propagationOf(policy, asked.orphanDependents),
    preconditions: asked.preconditions,
    ignoresReadError: asked.ignoresReadError,
  };
}

interface Asked {
  readonly dryRun: readonly string[];
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: DeleteOptions["preconditions"];
  readonly ignoresReadError: boolean | undefined;
}

/** Option that deletes an object which cannot be read. */
export const IGNORES_READ_ERROR = "ignoreStoreReadErrorWithClusterBreakingPotential";

function askedByQuery(query: QueryParameters): Asked {
  return {
    dryRun: query.getAll("dryRun"),
    gracePeriodSeconds: queryInteger(query, "gracePeriodSeconds"),
    propagationPolicy: query.get("propagationPolicy") || undefined,
    orphanDependents: optionalQueryBoolean(query, "orphanDependents"),
    // A parameter without a value sets no precondition.
    preconditions: preconditions(query.get("uid") || undefined, query.get("resourceVersion") || undefined),
    ignoresReadError: optionalQueryBoolean(query, IGNORES_READ_ERROR),
  };
}

function askedByBody(body: JsonObject, query: QueryParameters): Asked {
  const required = optional(body, "preconditions", isObject, "an object") ?? {};
  return {
    dryRun: [...(optional(body, "dryRun", isStringList, "a list of strings") ?? []), ...query.getAll("dryRun")],
    gracePeriodSeconds: optional(body, "gracePeriodSeconds", isInteger, "an integer"),
    propagationPolicy: optional(body, "propagationPolicy", isString, "a string"),
    orphanDependents: optional(body, "orphanDependents", isBoolean, "a boolean"),
    preconditions: preconditions(
      optional(required, "uid", isString, "a string", "preconditions."),
      optional(required, "resourceVersion", isString, "a string", "preconditions."),
    ),
    ignoresReadError: optional(body, IGNORES_READ_ERROR, isBoolean, "a boolean"),
  };
}

function errorsOf(asked: Asked, vocabulary: Vocabulary): FieldError[] {
  const { dryRun, propagationPolicy, orphanDependents } = asked;
  const path = "propagationPolicy";
  const unknown = propagationPolicy !== undefined && !POLICIES.some((each) => each === propagationPolicy);
  return [
    ...(propagationPolicy !== undefined && orphanDependents !== undefined
      ? [invalid(path, propagationPolicy, "orphanDependents and propagationPolicy cannot be both set")]
      : []),
    ...(unknown ? [notSupported(path, propagationPolicy, POLICIES)] : []),
    ...dryRunErrors(dryRun, vocabulary),
    ...(asked.ignoresReadError === true ? excludedBeside(asked) : []),
  ];
}

/** Returns an error for each option that needs the content of the object. */
function excludedBeside(asked: Asked): FieldError[] {
  const { uid, resourceVersion } = asked.preconditions;
  const others = [
    ["dryRun", asked.dryRun.length > 0],
    ["propagationPolicy", asked.propagationPolicy !== undefined],
    ["orphanDependents", asked.orphanDependents !== undefined],
    ["gracePeriodSeconds", asked.gracePeriodSeconds !== undefined],
    ["preconditions", uid !== undefined || resourceVersion !== undefined],
  ] as const;
  return others.flatMap(([name, isSet]) =>
    isSet ? [invalid(IGNORES_READ_ERROR, true, `cannot be set together with .${name}`)] : [],
  );
}

function propagationOf(policy: PropagationPolicy | undefined, orphan: boolean | undefined): Propagation {
  if (policy !== undefined) return { kind: "policy", policy };
  return orphan === undefined ? { kind: "default" } : { kind: "orphanDependents", orphan };
}

function preconditions(uid: string | undefined, resourceVersion: string | undefined): DeleteOptions["preconditions"] {
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** Returns a field of the body; null counts as absent. */
function optional<T extends JsonValue>(
  body: JsonObject,
  field: string,
  has: (value: JsonValue) => value is T,
  expected: string,
  parent = "",
): T | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (!has(value)) throw badRequest(`DeleteOptions.${parent}${field}: expected ${expected}`);
  return value;
}

const isString = (value: JsonValue): value is string => typeof value === "string";
const isBoolean = (value: JsonValue): value is boolean => typeof value === "boolean";
const isInteger = (value: JsonValue): value is number => Number.isSafeInteger(value);
const isStringList = (value: JsonValue): value is string[] => Array.isArray(value) && value.every(isString);
