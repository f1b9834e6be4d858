// Objects as another server can create them: without the parts that the server of their origin owns.

import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { metadataOf } from "../../output/server-table";

export interface PortableOptions {
  /** Addresses of services in the cluster. Default: the target allocates others. */
  readonly keepClusterIps?: boolean;
  /** Ports of services on nodes. Default: the target allocates others. */
  readonly keepNodePorts?: boolean;
  readonly managedFields?: boolean;
}

const OWNED_METADATA = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/**
 * Returns a copy without the parts of the server. Owner references keep the UIDs of the origin.
 * @param names names of the vocabulary that the object uses
 */
export function portableObject(object: JsonObject, names: Vocabulary, options: PortableOptions): JsonObject {
  const metadata = { ...metadataOf(object) };
  for (const key of OWNED_METADATA) delete metadata[key];
  if (options.managedFields !== true) delete metadata["managedFields"];
  const portable: JsonObject = { ...object, metadata };
  if (object["apiVersion"] === "v1") CORE[String(object["kind"])]?.(portable, names, options);
  else if (object["kind"] === "Job" && object["apiVersion"] === "batch/v1") job(portable, names);
  return portable;
}

type Change = (object: JsonObject, names: Vocabulary, options: PortableOptions) => void;

/** Changes of objects of the core group, by kind. */
const CORE: Readonly<Record<string, Change>> = {
  Service: (object, _, options) => service(object, options),
  // Tokens of the origin, which the target does not accept.
  ServiceAccount: (object) => drop(object, ["secrets"]),
  Secret: secret,
  PersistentVolume: (object) =>
    change(object, "spec", (spec) => change(spec, "claimRef", (claim) => drop(claim, ["uid", "resourceVersion"]))),
  // A claim that says it is bound, before the volume names its UID, would count as lost.
  PersistentVolumeClaim: (object, { annotations }) =>
    dropAnnotations(object, [annotations.pvBindCompleted, annotations.pvBoundByController]),
  Pod: (object) => change(object, "spec", (spec) => drop(spec, ["ephemeralContainers"])),
};

function service(object: JsonObject, { keepClusterIps, keepNodePorts }: PortableOptions): void {
  change(object, "spec", (spec) => {
    if (keepClusterIps !== true && spec["clusterIP"] !== "None") drop(spec, ["clusterIP", "clusterIPs"]);
    if (keepNodePorts === true) return;
    drop(spec, ["healthCheckNodePort"]);
    if (Array.isArray(spec["ports"])) {
      spec["ports"] = spec["ports"].map((port) => {
        if (!isObject(port)) return port;
        const { nodePort: _, ...rest } = port;
        return rest;
      });
    }
  });
}

/** Leaves the token to the target, which writes one of its own. */
function secret(object: JsonObject, names: Vocabulary): void {
  if (object["type"] !== names.secretTypes.serviceAccountToken) return;
  delete object["data"];
  dropAnnotations(object, [names.annotations.serviceAccountUid]);
}

/** Leaves the selector with the UID of the job to the target, unless the user chose it. */
function job(object: JsonObject, names: Vocabulary): void {
  const { spec } = object;
  if (isObject(spec) && spec["manualSelector"] === true) return;
  const labels = [names.labels.batchControllerUid, names.labels.batchJobName, "controller-uid", "job-name"];
  change(object, "spec", (copy) => {
    delete copy["selector"];
    change(copy, "template", (template) =>
      change(template, "metadata", (metadata) => change(metadata, "labels", (of) => drop(of, labels))),
    );
  });
  // The server copies the labels of the template to a job without labels.
  change(object, "metadata", (metadata) => change(metadata, "labels", (of) => drop(of, labels)));
}

/** Replaces a member by a changed copy. */
function change(object: JsonObject, key: string, make: (copy: JsonObject) => void): void {
  const member = object[key];
  if (!isObject(member)) return;
  const copy = { ...member };
  make(copy);
  object[key] = copy;
}

function drop(object: JsonObject, keys: readonly string[]): void {
  for (const key of keys) delete object[key];
}

function dropAnnotations(object: JsonObject, keys: readonly string[]): void {
  change(object, "metadata", (metadata) => change(metadata, "annotations", (annotations) => drop(annotations, keys)));
}
