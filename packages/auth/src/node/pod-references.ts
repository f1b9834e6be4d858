// References in pods and persistent volumes, part by part: a pod may have tens of thousands of volumes.
// Source: plugin/pkg/auth/authorizer/node/graph.go.
import { isObject, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { type GraphVolume, type NodeObjectKind, type ObjectKey, objectKey } from "./node-graph";

/** Called with each reference. */
export type Refer = (key: ObjectKey) => void;

export interface ReferringPod {
  readonly namespace: string;
  readonly name: string;
  /** Whether generic ephemeral volumes create claims of their own. */
  readonly ephemeralClaims: boolean;
}

/** Lists of `spec` that hold references, with the reader of one item. */
export const POD_LISTS: Readonly<Record<string, (item: JsonValue, pod: ReferringPod, refer: Refer) => void>> = {
  imagePullSecrets: (item, { namespace }, refer) => named("secret", namespace, textAt(item, "name"), refer),
  volumes: volumeReferences,
  resourceClaims: (item, { namespace }, refer) =>
    named("resourceclaim", namespace, textAt(item, "resourceClaimName"), refer),
  containers: containerReferences,
  initContainers: containerReferences,
  ephemeralContainers: containerReferences,
};

/** Lists inside those items that are bounded only by the size of the pod. */
export const INNER_LISTS: Readonly<
  Record<string, Readonly<Record<string, (item: JsonValue, pod: ReferringPod, refer: Refer) => void>>>
> = {
  volumes: { "projected.sources": projectedReferences },
  containers: { env: variableReferences, envFrom: variablesReferences },
  initContainers: { env: variableReferences, envFrom: variablesReferences },
  ephemeralContainers: { env: variableReferences, envFrom: variablesReferences },
};

/** @param spec spec of a pod */
export function podReferences(spec: JsonObject, pod: ReferringPod, refer: Refer): void {
  accountReference(textAt(spec, "serviceAccountName") || textAt(spec, "serviceAccount"), pod, refer);
  for (const [list, read] of Object.entries(POD_LISTS)) {
    for (const item of itemsAt(spec, list)) read(item, pod, refer);
  }
}

export function accountReference(name: string, { namespace }: ReferringPod, refer: Refer): void {
  if (name !== "") refer(objectKey("serviceaccount", namespace, name));
}

/** Reports the claims that were made for a pod. @param status its status */
export function claimReferences(status: JsonValue, { namespace }: ReferringPod, refer: Refer): void {
  for (const item of itemsAt(status, "resourceClaimStatuses"))
    named("resourceclaim", namespace, textAt(item, "resourceClaimName"), refer);
  named("resourceclaim", namespace, textAt(status, "extendedResourceClaimStatus", "resourceClaimName"), refer);
}

/** Returns the node of the kubelet that requests a certificate for a pod. */
export const requestingNode = (request: JsonObject): string => textAt(request, "spec", "nodeName");

/** Returns the node that has the devices of a slice; "" when several can use them. */
export const sliceNode = (slice: JsonObject): string => textAt(slice, "spec", "nodeName");

/** Fields of volume sources that name an object. */
export const VOLUME_NAMES: readonly { readonly kind: NodeObjectKind; readonly at: readonly string[] }[] = [
  { kind: "configmap", at: ["configMap", "name"] },
  { kind: "persistentvolumeclaim", at: ["persistentVolumeClaim", "claimName"] },
  ...[
    ["secret", "secretName"],
    ["azureFile", "secretName"],
    ["csi", "nodePublishSecretRef", "name"],
    ...["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"].map((source) => [
      source,
      "secretRef",
      "name",
    ]),
  ].map((at) => ({ kind: "secret" as const, at })),
];

function volumeReferences(volume: JsonValue, pod: ReferringPod, refer: Refer): void {
  const { namespace } = pod;
  for (const { kind, at } of VOLUME_NAMES) named(kind, namespace, textAt(volume, ...at), refer);
  if (isObject(valueAt(volume, "ephemeral"))) ownClaimReference(textAt(volume, "name"), pod, refer);
  for (const source of itemsAt(volume, "projected", "sources")) projectedReferences(source, pod, refer);
}

/** Reports the claim of a generic ephemeral volume. */
export function ownClaimReference(
  volumeName: string,
  { namespace, name, ephemeralClaims }: ReferringPod,
  refer: Refer,
): void {
  if (ephemeralClaims) named("persistentvolumeclaim", namespace, `${name}-${volumeName}`, refer);
}

function projectedReferences(source: JsonValue, { namespace }: ReferringPod, refer: Refer): void {
  named("secret", namespace, textAt(source, "secret", "name"), refer);
  named("configmap", namespace, textAt(source, "configMap", "name"), refer);
}

function containerReferences(container: JsonValue, pod: ReferringPod, refer: Refer): void {
  for (const variable of itemsAt(container, "env")) variableReferences(variable, pod, refer);
  for (const source of itemsAt(container, "envFrom")) variablesReferences(source, pod, refer);
}

function variableReferences(variable: JsonValue, { namespace }: ReferringPod, refer: Refer): void {
  named("secret", namespace, textAt(variable, "valueFrom", "secretKeyRef", "name"), refer);
  named("configmap", namespace, textAt(variable, "valueFrom", "configMapKeyRef", "name"), refer);
}

function variablesReferences(source: JsonValue, { namespace }: ReferringPod, refer: Refer): void {
  named("secret", namespace, textAt(source, "secretRef", "name"), refer);
  named("configmap", namespace, textAt(source, "configMapRef", "name"), refer);
}

/**
 * Fields of persistent volume sources that name a secret which the kubelet needs. Secrets of the volume's controller
 * are not included.
 */
const PERSISTENT_VOLUME_SECRETS: readonly { readonly at: readonly string[]; readonly ownNamespace: boolean }[] = [
  ...["cephfs", "cinder", "flexVolume", "iscsi", "rbd", "scaleIO", "storageos"].map((source) => ({
    at: [source, "secretRef"],
    ownNamespace: false,
  })),
  ...["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"].map((member) => ({
    at: ["csi", member],
    ownNamespace: true,
  })),
];

/** @returns undefined for a volume that is bound to no claim */
export function volumeOf(persistentVolume: JsonObject): GraphVolume | undefined {
  const spec = memberOf(persistentVolume, "spec") ?? null;
  const claimNamespace = textAt(spec, "claimRef", "namespace");
  const claimName = textAt(spec, "claimRef", "name");
  if (claimName === "") return undefined;
  const secrets = new Set<ObjectKey>();
  const refer: Refer = (key) => void secrets.add(key);
  for (const { at, ownNamespace } of PERSISTENT_VOLUME_SECRETS) {
    const namespace = textAt(spec, ...at, "namespace") || (ownNamespace ? "" : claimNamespace);
    named("secret", namespace, textAt(spec, ...at, "name"), refer);
  }
  const filesNamespace = textAt(spec, "azureFile", "secretNamespace") || claimNamespace;
  named("secret", filesNamespace, textAt(spec, "azureFile", "secretName"), refer);
  return { claim: objectKey("persistentvolumeclaim", claimNamespace, claimName), secrets: [...secrets] };
}

/** Returns the node that a volume is attached to; "" for none. */
export const attachedNode = (attachment: JsonObject): string => textAt(attachment, "spec", "nodeName");

/** Returns the config map that configures a node's kubelet. */
export function nodeConfigOf(node: JsonObject): ObjectKey | undefined {
  const at = ["spec", "configSource", "configMap"] as const;
  const name = textAt(node, ...at, "name");
  return name === "" ? undefined : objectKey("configmap", textAt(node, ...at, "namespace"), name);
}

function named(kind: NodeObjectKind, namespace: string, name: string, refer: Refer) {
  if (name !== "") refer(objectKey(kind, namespace, name));
}

function valueAt(of: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let value = of;
  for (const name of path) value = isObject(value) ? memberOf(value, name) : undefined;
  return value;
}

function textAt(of: JsonValue, ...path: readonly string[]): string {
  const value = valueAt(of, ...path);
  return typeof value === "string" ? value : "";
}

function itemsAt(of: JsonValue, ...path: readonly string[]): readonly JsonValue[] {
  const value = valueAt(of, ...path);
  return Array.isArray(value) ? value : [];
}
