// Failures of identity and permission. Source: facts, errors.json "ForbiddenAuthz", "ForbiddenAdmission", "Unauthorized".
import { type GroupResource, resourceText } from "./group-names";
import { type StatusCause, StatusError } from "./status-error";

export const unauthorized = (): StatusError => new StatusError("Unauthorized", "Unauthorized");

/** What an authorizer was asked. */
export type AccessAttempt =
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      /** "" at the cluster scope. */
      readonly namespace: string;
      /** "" where the request names no object. */
      readonly name: string;
    }
  | { readonly kind: "path"; readonly verb: string; readonly path: string };

/** An authorizer said no. @param reason what the authorizer adds; may be "" */
export function accessDenied(userName: string, attempt: AccessAttempt, reason = ""): StatusError {
  const because = reason === "" ? "" : `: ${reason}`;
  const who = `User ${JSON.stringify(userName)}`;
  if (attempt.kind === "path") {
    const what = escapeMarkup(`${who} cannot ${attempt.verb} path ${JSON.stringify(attempt.path)}`);
    return new StatusError("Forbidden", `forbidden: ${what}${because}`, {});
  }
  const { verb, group, resource, subresource, namespace, name } = attempt;
  const fullResource = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const what = escapeMarkup(
    `${who} cannot ${verb} resource ${JSON.stringify(fullResource)} in API group ${JSON.stringify(group)} ${where}`,
  );
  const object = name === "" ? resourceText({ group, resource }) : `${resourceText({ group, resource })} "${name}"`;
  return new StatusError("Forbidden", `${object} is forbidden: ${what}${because}`, { name, group, kind: resource });
}

/** Admission, or a rule of the resource, does not let this object pass. */
export const forbidden = (
  of: GroupResource,
  name: string,
  text: string,
  causes?: readonly StatusCause[],
): StatusError =>
  new StatusError("Forbidden", `${resourceText(of)} "${name}" is forbidden: ${text}`, {
    name,
    group: of.group,
    kind: of.resource,
    ...(causes === undefined ? {} : { causes }),
  });

// User names and paths are the caller's; browsers have been seen to render such answers.
const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
