// Validation of storage versions. Source: pkg/apis/apiserverinternal/validation/validation.go.
import {
  all,
  each,
  fields,
  type Place,
  qualifiedName,
  type Report,
  type Rule,
  subdomain,
  unique,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { label1035Errors, metaOf, subdomainErrors } from "@orch/machinery";
import type { internalV1alpha1, JsonObject } from "@orch/schema";

type StorageVersion = internalV1alpha1.StorageVersion;
type Status = internalV1alpha1.StorageVersionStatus;
type Server = internalV1alpha1.ServerStorageVersion;

/** Requires the name `<group>.<resource>`. */
const named: Rule<StorageVersion> = (object, at, report) => {
  const { name = "" } = metaOf(object as JsonObject);
  const place = at.field("metadata").field("name");
  const dot = name.lastIndexOf(".");
  if (dot < 0) return report.invalid(place, name, "name must be in the form of <group>.<resource>");
  for (const text of subdomainErrors(name.slice(0, dot))) report.invalid(place, name, `the group segment ${text}`);
  for (const text of label1035Errors(name.slice(dot + 1))) report.invalid(place, name, `the resource segment ${text}`);
};

function apiVersion(version: string, at: Place, report: Report) {
  const parts = version.split("/");
  if (parts.length > 2) return report.invalid(at, version, "an apiVersion is [<group>/]<version>");
  const [group] = parts.length === 2 ? parts : [];
  if (group !== undefined)
    for (const text of subdomainErrors(group)) report.invalid(at, version, `group part: ${text}`);
  for (const text of label1035Errors(parts.at(-1) ?? "")) report.invalid(at, version, `version part: ${text}`);
}

const server: Rule<Server> = (
  { apiServerID = "", encodingVersion = "", decodableVersions = [], servedVersions = [] },
  at,
  report,
) => {
  subdomain(apiServerID, at.field("apiServerID"), report);
  apiVersion(encodingVersion, at.field("encodingVersion"), report);
  const decodable = new Set(decodableVersions);
  decodableVersions.forEach((version, position) => {
    apiVersion(version, at.field("decodableVersions").item(position), report);
  });
  if (!decodable.has(encodingVersion)) {
    const detail = `decodableVersions must include encodingVersion ${encodingVersion}`;
    report.invalid(at.field("decodableVersions"), decodableVersions, detail);
  }
  servedVersions.forEach((version, position) => {
    const place = at.field("servedVersions").item(position);
    apiVersion(version, place, report);
    if (!decodable.has(version)) report.invalid(place, version, "must be included in decodableVersions");
  });
};

const common: Rule<Status> = ({ storageVersions: servers = [], commonEncodingVersion: said }, at, report) => {
  const place = at.field("commonEncodingVersion");
  const [first] = servers;
  const agreed = servers.every((each) => each.encodingVersion === first?.encodingVersion);
  const actual = agreed ? first?.encodingVersion : undefined;
  if (actual === (said ?? undefined)) return;
  report.invalid(
    place,
    said ?? null,
    actual === undefined
      ? "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet"
      : `the actual common encoding version is ${actual}`,
  );
};

/** The paths are those that Kubernetes reports: they lack the name of the list. */
const conditionRules: Rule<Status> = ({ conditions = [] }, at, report) => {
  const places = new Map<string, number>();
  for (const [position, { type, status, reason, message = "" }] of conditions.entries()) {
    const place = at.item(position);
    const before = places.get(type);
    if (before !== undefined) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${before}]`;
      report.invalid(place.field("type"), type, detail);
    }
    places.set(type, position);
    qualifiedName(type, place.field("type"), report);
    qualifiedName(status, place.field("status"), report);
    if (reason === "") report.required(place.field("reason"));
    if (message === "") report.required(place.field("message"));
  }
};

const status: Rule<Status> = all(
  fields<Status>({
    storageVersions: all(
      unique(({ apiServerID }) => apiServerID, { field: "apiServerID" }),
      each(server),
    ),
  }),
  common,
  conditionRules,
);

export const validateStorageVersion = validator(all<StorageVersion>(named, fields<StorageVersion>({ status })));

export const validateStorageVersionStatus = updateValidator<StorageVersion>((next, _old, at, report) =>
  status(next.status ?? {}, at.field("status"), report),
);
