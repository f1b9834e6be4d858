// Operations of requests for several resources at once. Source: docs/lists.md.
import type { RuntimeType } from "@orch/schema";
import { RESOURCE_EVENT } from "./answer-types";
import type { Operation } from "./operation";
import type { QueryParameter } from "./operation-parameters";

/** Document of `GET /watch`, which belongs to no group version. */
export const WATCH_DOCUMENT = "watch";
const CORE_DOCUMENT = "api/v1";

const ANY_OBJECT: RuntimeType = { kind: "object" };
const RESOURCE_FORMS = "as RESOURCE, RESOURCE.GROUP, VERSION/RESOURCE or GROUP/VERSION/RESOURCE";

const SHARED = {
  method: "get",
  marks: undefined,
  body: undefined,
  codes: [200],
} as const satisfies Partial<Operation>;

const RESOURCE: QueryParameter = {
  type: "string",
  repeats: true,
  required: true,
  description: `Resource to watch, ${RESOURCE_FORMS}; its namespace, labelSelector and fieldSelector may follow after semicolons.`,
};
const PARTIAL: QueryParameter = {
  type: "boolean",
  description: "Leaves out resources that the user may not watch, instead of refusing the request.",
};
const KINDS: QueryParameter = {
  type: "string",
  description: `Resources to return, separated by commas, ${RESOURCE_FORMS}. Default: all.`,
};

export const SEVERAL_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    document: WATCH_DOCUMENT,
    path: "/watch",
    operationId: "watchResources",
    summary: "Watches several resources over one connection, as JSON lines or Server-Sent Events.",
    tag: "watch",
    placeholders: [],
    query: ["allowWatchBookmarks", "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds"],
    options: { resource: RESOURCE, partial: PARTIAL },
    answer: RESOURCE_EVENT,
    answersIn: "events",
  },
  {
    ...SHARED,
    document: CORE_DOCUMENT,
    path: "/api/v1/namespaces/{namespace}/everything",
    operationId: "listCoreV1NamespacedEverything",
    summary: "Returns all objects of a namespace that the user may list, one in each line, and a summary.",
    tag: "core_v1",
    placeholders: ["namespace"],
    query: [],
    options: { kinds: KINDS },
    answer: ANY_OBJECT,
    answersIn: "lines",
  },
];
