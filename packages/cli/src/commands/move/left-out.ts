// Kinds and objects that an export leaves out by default: what each server makes for itself, and what is worthless
// elsewhere.

import type { DiscoveredResource } from "@orch/client";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { metadataOf } from "../../output/server-table";

/** Resources by group id. */
const KINDS: readonly (readonly [group: keyof Vocabulary["groups"] | "core", resource: string, why: string])[] = [
  ["core", "events", "reports of the past"],
  ["events", "events", "reports of the past"],
  ["coordination", "leases", "locks of running programs"],
  ["coordination", "leasecandidates", "candidates for locks"],
  ["internal", "storageversions", "state of the server"],
  ["storagemigration", "storageversionmigrations", "work of the server"],
  ["certificates", "certificatesigningrequests", "requests of the past"],
  ["certificates", "podcertificaterequests", "requests of the past"],
  ["networking", "ipaddresses", "allocations of the server"],
];

/** Groups whose resources newer groups serve as well, with those groups. */
const OLDER_GROUPS = ["extensions"];

/** Returns why a resource is left out; undefined when it is exported. */
export function kindLeftOut(
  { group, resource, verbs }: DiscoveredResource,
  all: readonly DiscoveredResource[],
  { groups }: Vocabulary,
): string | undefined {
  if (!verbs.includes("list") || !verbs.includes("create")) return "cannot be listed and created";
  if (OLDER_GROUPS.includes(group) && all.some((each) => each.resource === resource && each.group !== group)) {
    return "served in a newer group as well";
  }
  return KINDS.find(([id, name]) => name === resource && (id === "core" ? "" : groups[id]) === group)?.[2];
}

/** Returns why an object is left out; undefined when it is exported. */
export function objectLeftOut(object: JsonObject, names: Vocabulary): string | undefined {
  const { labels, annotations, deletionTimestamp } = metadataOf(object);
  if (deletionTimestamp !== undefined) return "being deleted";
  const label = (key: string) => (isObject(labels) ? labels[key] : undefined);
  const annotation = (key: string) => (isObject(annotations) ? annotations[key] : undefined);
  if (isObject(annotations) && annotation(names.annotations.configMirror) !== undefined) return "copies of static pods";
  if (isOfServer(object, names, label) || isBootstrapped(object, names, label, annotation))
    return "made by every server";
  return isToken(object, names, annotation) ? "tokens of service accounts" : undefined;
}

/** Objects that each server makes for itself, with its own addresses and certificates. */
function isOfServer(object: JsonObject, names: Vocabulary, label: (key: string) => unknown): boolean {
  const { name, namespace } = metadataOf(object);
  switch (object["kind"]) {
    case "ConfigMap":
      return (
        name === names.objectNames.rootCaCrt ||
        (namespace === names.namespaces.system && systemMaps(names).includes(String(name)))
      );
    case "APIService":
      return !isObject(object["spec"]) || !isObject(object["spec"]["service"]);
    case "Service":
      return name === names.objectNames.product && namespace === "default";
    case "Endpoints":
      // The controller makes those of services with a selector; people make those without its mark.
      return (
        (name === names.objectNames.product && namespace === "default") ||
        label(names.labels.endpointsManagedBy) !== undefined
      );
    case "EndpointSlice": {
      const by = label(names.labels.endpointsliceManagedBy);
      const { endpointsliceController, endpointslicemirroringController } = names.labelValues;
      return (
        by === endpointsliceController ||
        by === endpointslicemirroringController ||
        (name === names.objectNames.product && namespace === "default")
      );
    }
    case "ServiceCIDR":
      return name === names.objectNames.product;
    default:
      return false;
  }
}

const systemMaps = ({ objectNames }: Vocabulary): readonly string[] => [
  "extension-apiserver-authentication",
  objectNames.apiserverLegacyServiceAccountTokenTracking,
];

/** Tells whether the object is a default role, binding, flow schema or priority class that each server keeps up to date. */
function isBootstrapped(
  object: JsonObject,
  names: Vocabulary,
  label: (key: string) => unknown,
  annotation: (key: string) => unknown,
): boolean {
  const { labels, annotations, flowSchemas } = names;
  const name = String(metadataOf(object)["name"]);
  switch (object["kind"]) {
    case "PriorityClass":
      return name.startsWith("system-");
    case "FlowSchema":
    case "PriorityLevelConfiguration": {
      // Releases before 1.23 do not mark them.
      const byServer = annotation(annotations.apfAutoupdateSpec) ?? "unmarked";
      const isNamed = FLOW_NAMES.has(name) || Object.values<string>(flowSchemas).includes(name);
      return byServer === "true" || (byServer === "unmarked" && isNamed);
    }
    default:
      return (
        label(labels.bootstrapping) !== undefined && annotation(annotations.rbacAuthorizationAutoupdate) === "true"
      );
  }
}

/** Default flow schemas and priority levels, beside those with names of a vocabulary. */
const FLOW_NAMES: ReadonlySet<string> = new Set([
  "catch-all",
  "endpoint-controller",
  "exempt",
  "global-default",
  "leader-election",
  "node-high",
  "probes",
  "service-accounts",
  "system",
  "system-leader-election",
  "system-node-high",
  "system-nodes",
  "workload-high",
  "workload-leader-election",
  "workload-low",
]);

function isToken(object: JsonObject, names: Vocabulary, annotation: (key: string) => unknown): boolean {
  if (object["kind"] !== "Secret" || object["type"] !== names.secretTypes.serviceAccountToken) return false;
  // The token controller of older releases names its secrets so. Those that people asked for are exported without data.
  const account = annotation(names.annotations.serviceAccountName);
  return typeof account === "string" && String(metadataOf(object)["name"]).startsWith(`${account}-token-`);
}

/** Tells whether a pod or a job has ended: the target would run it again. */
export function isFinished({ kind, apiVersion, status }: JsonObject): boolean {
  if (!isObject(status)) return false;
  if (kind === "Pod" && apiVersion === "v1") return status["phase"] === "Succeeded" || status["phase"] === "Failed";
  if (kind !== "Job" || !String(apiVersion).startsWith("batch/")) return false;
  const { conditions } = status;
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (each) =>
        isObject(each) && (each["type"] === "Complete" || each["type"] === "Failed") && each["status"] === "True",
    )
  );
}
