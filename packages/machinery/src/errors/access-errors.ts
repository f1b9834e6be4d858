// Failures of identity, and refusals by admission; an authorizer words its own. Source: facts, errors.json "Unauthorized",
// "ForbiddenAdmission".
import { type GroupResource, resourceText } from "../resources/group-names";
import { type StatusCause, StatusError } from "./status-error";

export const unauthorized = (): StatusError => new StatusError("Unauthorized", "Unauthorized");

/** Admission, or a rule of the resource, does not let this object pass. @param name "" for one that has none yet */
export const forbidden = (
  of: GroupResource,
  name: string,
  text: string,
  causes?: readonly StatusCause[],
): StatusError =>
  new StatusError("Forbidden", `${resourceText(of)}${name === "" ? "" : ` "${name}"`} is forbidden: ${text}`, {
    ...(name === "" ? {} : { name }),
    group: of.group,
    kind: of.resource,
    ...(causes === undefined ? {} : { causes }),
  });
