// Description of a resource: its path, and the TypeScript type of its objects.
import { apiVersionText } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** @typeParam T type of the objects: a generated one such as `coreV1.Pod`, or JsonObject */
export interface ResourceType<T extends object = JsonObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural name in the URL, such as `pods`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never set: carries only the type. */
  readonly objectType?: T;
}

/** Returns the path, such as `/api/v1/namespaces/default/pods/web/status`. */
export function resourcePath(
  type: ResourceType<object>,
  of: { readonly namespace?: string | undefined; readonly name?: string; readonly subresource?: string },
): string {
  const root = type.group === "" ? "/api" : "/apis";
  const namespace = of.namespace === undefined ? "" : `/namespaces/${encodeURIComponent(of.namespace)}`;
  const name = of.name === undefined ? "" : `/${encodeURIComponent(of.name)}`;
  const subresource = of.subresource === undefined ? "" : `/${of.subresource}`;
  return `${root}/${apiVersionText(type)}${namespace}/${type.resource}${name}${subresource}`;
}
