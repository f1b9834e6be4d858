// Status of a request that authorization refuses. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
import { type StatusDetails, StatusError } from "@orch/machinery";
import type { Attributes } from "./authorizer";

/** @param reason reason of the decision; may be empty */
export function forbiddenRequest(attributes: Attributes, reason: string): StatusError {
  const refusal = sanitised(refusalText(attributes));
  const message = `${subjectText(attributes)}: ${refusal}${reason === "" ? "" : `: ${reason}`}`;
  return new StatusError("Forbidden", message, detailsOf(attributes));
}

function subjectText(attributes: Attributes): string {
  if (attributes.kind === "nonResource") return "forbidden";
  const { resource, apiGroup, name } = attributes;
  const of = apiGroup === "" ? resource : `${resource}.${apiGroup}`;
  return name === "" ? `${of} is forbidden` : `${of} ${quoted(name)} is forbidden`;
}

function refusalText(attributes: Attributes): string {
  const cannot = `User ${quoted(attributes.user.name)} cannot ${attributes.verb}`;
  if (attributes.kind === "nonResource") return `${cannot} path ${quoted(attributes.path)}`;
  const { resource, subresource, apiGroup, namespace } = attributes;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quoted(namespace)}`;
  return `${cannot} resource ${quoted(full)} in API group ${quoted(apiGroup)} ${where}`;
}

function detailsOf(attributes: Attributes): StatusDetails {
  if (attributes.kind === "nonResource") return {};
  const { resource, apiGroup, name } = attributes;
  return { ...(name !== "" && { name }), ...(apiGroup !== "" && { group: apiGroup }), kind: resource };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Escapes HTML. User names and paths come from the client and may be shown in a browser. */
export function sanitised(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
