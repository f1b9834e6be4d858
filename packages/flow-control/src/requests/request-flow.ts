// Attributes of a request for flow control: the same that are authorized and handled.
import type { UserInfo } from "@orch/machinery";
import { namesNoResource, type RequestInfo, type ServedRequest, type SeveralRequest } from "@orch/request";
import type { WaitingRequest } from "../queues/fair-queues";
import type { FlowTarget } from "../schemas/flow-rules";
import type { Distinguisher } from "../schemas/flow-spec";
import { ONE_SEAT, type RequestWidth, widthOfAll, widthOfChange, widthOfList } from "./request-width";

/** @param info one request, or one part of a request for several resources */
export function targetOf(info: Exclude<RequestInfo, SeveralRequest>): FlowTarget {
  if (namesNoResource(info)) return { kind: "nonResource", verb: info.verb, path: info.path };
  const { verb, group: apiGroup, resource, subresource, namespace } = info;
  return {
    kind: "resource",
    verb,
    apiGroup,
    resource: subresource === "" ? resource : `${resource}/${subresource}`,
    namespace,
  };
}

export function distinguisherOf(by: Distinguisher | undefined, info: RequestInfo, { name }: UserInfo): string {
  switch (by) {
    case undefined:
      return "";
    case "ByUser":
      return name;
    case "ByNamespace":
      return "namespace" in info ? info.namespace : "";
  }
}

/** Description of a request for the debug pages. */
export function aboutRequest(
  info: RequestInfo,
  { name: user }: UserInfo,
): Omit<WaitingRequest, "schema" | "distinguisher"> {
  const { verb, path } = info;
  if (namesNoResource(info))
    return { user, verb, path, namespace: "", name: "", version: "", resource: "", subresource: "" };
  const { namespace, name, version, resource, subresource } = info;
  return { user, verb, path, namespace, name, version, resource, subresource };
}

export function widthOf(info: RequestInfo): RequestWidth {
  switch (info.kind) {
    case "several":
      return widthOfAll(info.parts.map((part) => widthOf(part.info)));
    case "path":
    case "unreadable":
    case "unserved":
    case "remote":
    case "connection":
    case "question":
    case "action":
    case "history":
      return ONE_SEAT;
    case "collection":
    case "item":
      return widthOn(info);
  }
}

function widthOn(info: ServedRequest & { readonly kind: "collection" | "item" }): RequestWidth {
  const { storage } = info.route;
  switch (info.verb) {
    case "get":
    case "watch":
      return ONE_SEAT;
    case "list":
      // A list that names an object reads only that object.
      if (info.key.name !== "" || storage.size === undefined) return ONE_SEAT;
      return widthOfList({ objects: storage.size(info.key.namespace) }, extentOf(info.query));
    case "create":
    case "update":
    case "patch":
    case "delete":
    case "deletecollection":
      if (storage.watchersOf === undefined) return ONE_SEAT;
      return widthOfChange({ watchers: storage.watchersOf(info.key) });
  }
}

const ALL = { limit: 0, selects: false, isPast: false };

function extentOf(query: URLSearchParams | undefined) {
  if (query === undefined) return ALL;
  const limit = Number(query.get("limit") ?? 0);
  return {
    limit: Number.isSafeInteger(limit) && limit > 0 ? limit : 0,
    selects: LOOKING_AT_ALL.some((parameter) => isGiven(query, parameter)),
    isPast: isGiven(query, "continue") || query.get("resourceVersionMatch") === "Exact",
  };
}

/** Parameters of lists that are answered only after a look at all objects. */
const LOOKING_AT_ALL = ["labelSelector", "fieldSelector", "sortBy"];

const isGiven = (query: URLSearchParams, parameter: string): boolean => (query.get(parameter) ?? "") !== "";
