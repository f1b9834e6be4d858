// Object and namespace selectors of webhooks and policies. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/object/matcher.go,
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/namespace/matcher.go.
import {
  type AdmissionRequest,
  internalError,
  type LabelSelector,
  labelSelectorOfObject,
  labelsOf,
  notFound,
  StatusError,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { MaybePromise, ObjectReader } from "../contract/dependencies";

/** Compiles a selector. @returns undefined when it selects everything */
export function selectorOf(selector: JsonObject | undefined): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const compiled = labelSelectorOfObject(selector);
  return compiled.requirements.length === 0 ? undefined : compiled;
}

/**
 * Returns whether the object selector matches. Options of a connect request have no labels and never match. @param
 * object the object in its current state
 */
export function objectSelected(
  selector: LabelSelector | undefined,
  { operation, oldObject }: Pick<AdmissionRequest, "operation" | "oldObject">,
  object: JsonObject | undefined,
): boolean {
  if (selector === undefined) return true;
  if (operation === "CONNECT") return false;
  return [object, oldObject].some((each) => each !== undefined && selector.matches(labelsOf(each)));
}

const NAMESPACES = { group: "", resource: "namespaces" } as const;

export const isNamespaces = ({ definition }: Pick<AdmissionRequest, "definition">): boolean =>
  definition.group === "" && definition.plural === "namespaces";

/**
 * Returns whether the namespace selector matches.
 * @param object the object in its current state
 * @throws StatusError NotFound (404) when the namespace does not exist, InternalError (500) when it cannot be read
 */
export function namespaceSelected(
  selector: LabelSelector | undefined,
  request: AdmissionRequest,
  object: JsonObject | undefined,
  objects: Pick<ObjectReader, "labels" | "inStore">,
): MaybePromise<boolean> {
  if (selector === undefined) return true;
  const isOne = isNamespaces(request);
  if (isOne && isWritten(request) && object !== undefined) return selector.matches(labelsOf(object));
  const name = isOne ? request.name : request.namespace;
  if (name === "") return true;
  const cached = objects.labels(NAMESPACES, { namespace: "", name });
  if (cached instanceof Promise) return cached.then((labels) => selectedBy(selector, labels, name, objects));
  return selectedBy(selector, cached, name, objects);
}

/** Returns whether the request writes the namespace itself; its new labels decide then. */
const isWritten = ({ operation, subresource }: AdmissionRequest): boolean =>
  subresource === "" && (operation === "CREATE" || operation === "UPDATE");

function selectedBy(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
  name: string,
  objects: Pick<ObjectReader, "inStore">,
): MaybePromise<boolean> {
  if (labels !== undefined) return selector.matches(labels);
  return objects.inStore(NAMESPACES, { namespace: "", name }).then((namespace) => {
    if (namespace === undefined) throw notFound(NAMESPACES, name);
    return selector.matches(labelsOf(namespace));
  }, unknown);
}

function unknown(error: unknown): never {
  throw internalError(error instanceof StatusError ? error.message : String(error), { cause: error });
}
