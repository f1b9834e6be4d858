// What a client must know of a resource to speak of it: where it lives, and which TypeScript type its objects have.
import { apiVersionText } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** @typeParam T the type of its objects: a generated one such as `coreV1.Pod`, or JsonObject */
export interface ResourceType<T extends object = JsonObject> {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural of the URL, such as `pods`. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never there: carries the type alone. */
  readonly objectType?: T;
}

/** `/api/v1/namespaces/default/pods/web/status` */
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
