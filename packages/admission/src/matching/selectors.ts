// Which objects are meant by selectors: by their own labels, and by those of their namespace.
// Source: facts, admission/webhooks.md "Matching one hook".
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
import type { ObjectReader, Soon } from "../world";

/** @returns undefined where everything is selected */
export function selectorOf(selector: JsonObject | undefined): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const compiled = labelSelectorOfObject(selector);
  return compiled.requirements.length === 0 ? undefined : compiled;
}

/** @param object as it is by now; what connections have in its stead has no labels that anybody could select */
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
 * @param object as it is by now
 * @throws StatusError NotFound (404) where there is no such namespace, InternalError (500) where nobody can tell
 */
export function namespaceSelected(
  selector: LabelSelector | undefined,
  request: AdmissionRequest,
  object: JsonObject | undefined,
  objects: Pick<ObjectReader, "labels" | "inStore">,
): Soon<boolean> {
  if (selector === undefined) return true;
  const isOne = isNamespaces(request);
  if (isOne && isWritten(request) && object !== undefined) return selector.matches(labelsOf(object));
  const name = isOne ? request.name : request.namespace;
  if (name === "") return true;
  const cached = objects.labels(NAMESPACES, { namespace: "", name });
  if (cached instanceof Promise) return cached.then((labels) => selectedBy(selector, labels, name, objects));
  return selectedBy(selector, cached, name, objects);
}

/** What it will be called by decides. */
const isWritten = ({ operation, subresource }: AdmissionRequest): boolean =>
  subresource === "" && (operation === "CREATE" || operation === "UPDATE");

function selectedBy(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
  name: string,
  objects: Pick<ObjectReader, "inStore">,
): Soon<boolean> {
  if (labels !== undefined) return selector.matches(labels);
  return objects.inStore(NAMESPACES, { namespace: "", name }).then((namespace) => {
    if (namespace === undefined) throw notFound(NAMESPACES, name);
    return selector.matches(labelsOf(namespace));
  }, unknown);
}

function unknown(error: unknown): never {
  throw internalError(error instanceof StatusError ? error.message : String(error), { cause: error });
}
