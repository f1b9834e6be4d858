// Query parameters of requests. Source: Kubernetes API reference, "Common Parameters".
import type { GroupVersionKind } from "@orch/schema";

export interface QueryParameter {
  readonly type: "string" | "boolean" | "integer";
  /** The parameter may be repeated. */
  readonly repeats?: true;
  readonly description: string;
}

export const QUERY_PARAMETERS = {
  accessible: {
    type: "boolean",
    description: "Only namespaces in which the user may do anything; everybody who is known may ask for these.",
  },
  pretty: { type: "string", description: "Whether the answer is indented for people." },
  labelSelector: { type: "string", description: "Only objects with such labels, for instance app=web,tier in (a,b)." },
  fieldSelector: { type: "string", description: "Only objects with such fields, for instance metadata.name=web." },
  limit: { type: "integer", description: "At most so many objects; the rest by the continue token of the answer." },
  continue: { type: "string", description: "The token of the answer before: the list goes on where that one ended." },
  resourceVersion: { type: "string", description: "How new the data has to be; see resourceVersionMatch." },
  resourceVersionMatch: {
    type: "string",
    description: "Whether the data is of exactly that resource version (Exact) or may be newer (NotOlderThan).",
  },
  watch: { type: "boolean", description: "Answers with a stream of changes instead of a list." },
  allowWatchBookmarks: {
    type: "boolean",
    description: "Lets a watch tell now and then how far it has come, without a change.",
  },
  sendInitialEvents: { type: "boolean", description: "Begins a watch with the objects that are there." },
  timeoutSeconds: { type: "integer", description: "How long a watch may last." },
  dryRun: { type: "string", description: "All: the request is checked as always, but nothing is stored." },
  fieldManager: { type: "string", description: "Under which name the fields are managed that this request sets." },
  fieldValidation: {
    type: "string",
    description: "What becomes of unknown and repeated fields: Ignore, Warn or Strict, which refuses the request.",
  },
  force: { type: "boolean", description: "Takes fields over that others manage. For apply only." },
  gracePeriodSeconds: { type: "integer", description: "How long the object may take to end; 0 is at once." },
  orphanDependents: { type: "boolean", description: "Whether dependents are left alone. Use propagationPolicy." },
  propagationPolicy: {
    type: "string",
    description: "What becomes of dependents: Orphan, Background or Foreground.",
  },
} as const satisfies Readonly<Record<string, QueryParameter>>;

export type QueryParameterName = keyof typeof QUERY_PARAMETERS;

export const LIST_PARAMETERS: readonly QueryParameterName[] = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];
/** Parameters of lists and watches of a kind. */
export const listParametersOf = ({ group, kind }: GroupVersionKind): readonly QueryParameterName[] =>
  group === "" && kind === "Namespace" ? ["accessible", ...LIST_PARAMETERS] : LIST_PARAMETERS;

export const WRITE_PARAMETERS: readonly QueryParameterName[] = ["dryRun", "fieldManager", "fieldValidation"];
export const DELETE_PARAMETERS: readonly QueryParameterName[] = [
  "dryRun",
  "gracePeriodSeconds",
  "orphanDependents",
  "propagationPolicy",
];

export const PATH_PARAMETERS = {
  name: "The object's name.",
  namespace: "The namespace that the object is in.",
  path: "The path that the request has where it is passed on to.",
} as const;

/** Parameters that stand in the operation itself: clients look for them there to detect server features. */
export const ALWAYS_SPELT_OUT: ReadonlySet<QueryParameterName> = new Set(["dryRun", "fieldValidation"]);
