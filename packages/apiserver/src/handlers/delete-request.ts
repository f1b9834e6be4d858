// Options of a deletion. Source: Kubernetes API reference, DeleteOptions.

import {
  BAD_REQUEST_TEXT,
  badRequest,
  type DeleteOptions,
  jsonText,
  parseApiVersion,
  parseDeleteOptions,
} from "@orch/machinery";
import { type ApiRequest, NO_QUERY } from "@orch/request";
import type { JsonValue } from "@orch/schema";
import type { ResourceRequest, WriteDeps } from "./handler";
import { readOptionsBody } from "./request-object";

/** Reads the options from the body, or else from the query. */
export function readDeleteOptions(deps: WriteDeps, { request, info }: ResourceRequest): DeleteOptions {
  return readOptions(deps, request, info.query ?? NO_QUERY);
}

/**
 * Reads the options for each object of a collection, from the body or else from the query. A resource version in the
 * query applies to the list, not to the objects.
 */
export function readDeleteCollectionOptions(deps: WriteDeps, { request, info }: ResourceRequest): DeleteOptions {
  const ofEach = new URLSearchParams(info.query);
  ofEach.delete("resourceVersion");
  return readOptions(deps, request, ofEach);
}

function readOptions(deps: WriteDeps, request: ApiRequest, query: URLSearchParams): DeleteOptions {
  const body = readOptionsBody(request, "DeleteOptions");
  if (body !== undefined) requireKnownVersion(deps, body["apiVersion"] ?? "");
  const { AllowUnsafeMalformedObjectDeletion: ignoresReadErrors } = deps.gates;
  return parseDeleteOptions(body, query, deps.vocabulary, { ignoresReadErrors });
}

/** DeleteOptions exist in every served group version, for clients that know no other version. */
function requireKnownVersion({ routes, vocabulary }: WriteDeps, apiVersion: JsonValue): void {
  if (apiVersion === "") return;
  const known = typeof apiVersion === "string" ? parseApiVersion(apiVersion) : undefined;
  if (known !== undefined) {
    const { group, version } = known;
    if (group === vocabulary.groups.meta && version === "v1") return;
    if (routes.servesGroupVersion(group, version)) return;
  }
  throw badRequest(
    BAD_REQUEST_TEXT.unregistered({ kind: "DeleteOptions", apiVersion: jsonText(apiVersion), scheme: "this server" }),
  );
}
