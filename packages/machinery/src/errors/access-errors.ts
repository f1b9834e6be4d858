// Errors of authentication and refusals by admission. Authorizers write their own messages. Source:
// staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.
import { type GroupResource, resourceText } from "../names/group-names";
import { type StatusCause, StatusError } from "./status-error";

export const unauthorized = (): StatusError => new StatusError("Unauthorized", "Unauthorized");

/**
 * Forbidden: admission or a rule of the resource refuses the object.
 * @param name "" when the object has no name yet
 */
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
