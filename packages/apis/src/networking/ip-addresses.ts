import {
  type BuiltInResource,
  type CellObject,
  column,
  fields,
  nameColumn,
  pathSegment,
  required,
  subdomain,
  validator,
} from "@orch/apis-model";
import type { networkingV1 } from "@orch/schema";

type IPAddress = networkingV1.IPAddress;
type ParentReference = networkingV1.ParentReference;

/** Validation of IPAddresses. Source: pkg/apis/networking/validation/validation.go. */
const parentRules = fields<ParentReference>({
  group: subdomain,
  resource: required(pathSegment),
  name: required(pathSegment),
  namespace: pathSegment,
});

const specRules = fields<networkingV1.IPAddressSpec>({ parentRef: parentRules });

const validateIpAddress = validator<IPAddress>((object, at, report) =>
  specRules(object.spec ?? {}, at.field("spec"), report),
);

function parentText({ spec }: CellObject<IPAddress>): string {
  if (!spec?.parentRef) return "<none>";
  const { group, resource, namespace, name } = spec.parentRef;
  const of = `${resource ?? ""}${group ? `.${group}` : ""}`.toLowerCase();
  return [of, ...(namespace ? [namespace] : []), name ?? ""].join("/");
}

export const ipAddresses = {
  group: "networking",
  kind: "IPAddress",
  plural: "ipaddresses",
  shortNames: ["ip"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.33" },
    { version: "v1beta1", introduced: "1.31", deprecated: "1.34", removed: "1.37" },
  ],
  rules: { nameFormat: "ipAddress", validate: validateIpAddress, declared: true },
  columns: [nameColumn, column<IPAddress>("ParentRef", "The object that the address belongs to.", parentText)],
} as const satisfies BuiltInResource;
