// Mounts the service account token into the containers of a pod at a fixed path.
import { objectsAt } from "@orch/apis";
import { generateName, type Randomness } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";

/** Token to mount. */
export type MountedToken =
  /** Bound token of the pod, which the kubelet requests. */
  | { readonly kind: "bound" }
  /** Token of a Secret. */
  | { readonly kind: "secret"; readonly name: string };

export interface MountDeps {
  readonly vocabulary: Vocabulary;
  readonly randomness: Randomness;
}

/** Slightly more than an hour. The kubelet renews it after four fifths of that time, and so within the hour. */
const EXPIRES_SECONDS = 3607;
/** rw-r--r--, the default mode of volumes. */
const FILE_MODE = 0o644;

/** Returns whether the token is mounted. The pod's setting takes precedence over the account's. */
export function mountsToken(spec: JsonObject, account: JsonObject): boolean {
  const asked = spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"];
  return asked !== false;
}

/** Adds the mount to containers that have none at that path, and the volume when a container needs it. */
export function mountToken(spec: JsonObject, token: MountedToken, deps: MountDeps): void {
  const volumes = objectsAt(spec, "volumes");
  const existing = volumes.find((volume) => holds(volume, token, deps.vocabulary));
  const name = existing === undefined ? newName(token, volumes, deps) : String(existing["name"]);
  const { varRunSecretsServiceaccount: mountPath } = deps.vocabulary.mountPaths;
  let isNeeded = false;
  for (const container of [...objectsAt(spec, "initContainers"), ...objectsAt(spec, "containers")]) {
    const mounts = objectsAt(container, "volumeMounts");
    if (mounts.some((mount) => mount["mountPath"] === mountPath)) continue;
    container["volumeMounts"] = [...mounts, { name, readOnly: true, mountPath }];
    isNeeded = true;
  }
  if (existing === undefined && isNeeded) spec["volumes"] = [...volumes, volumeOf(name, token, deps.vocabulary)];
}

function holds({ name, secret }: JsonObject, token: MountedToken, { objectNames }: Vocabulary): boolean {
  switch (token.kind) {
    case "bound":
      return String(name).startsWith(objectNames.apiAccess);
    case "secret":
      return isObject(secret) && secret["secretName"] === token.name;
  }
}

function newName(token: MountedToken, volumes: readonly JsonObject[], { vocabulary, randomness }: MountDeps): string {
  switch (token.kind) {
    case "bound":
      return generateName(vocabulary.objectNames.apiAccess, randomness);
    case "secret": {
      const plain = token.name.replaceAll(".", "-");
      return volumes.some(({ name }) => name === plain) ? generateName(`${plain}-`, randomness) : plain;
    }
  }
}

function volumeOf(name: string, token: MountedToken, { objectNames }: Vocabulary): JsonObject {
  switch (token.kind) {
    case "bound":
      return { name, projected: { sources: sourcesOf(objectNames.rootCaCrt), defaultMode: FILE_MODE } };
    case "secret":
      return { name, secret: { secretName: token.name, defaultMode: FILE_MODE } };
  }
}

const sourcesOf = (rootCa: string): JsonValue[] => [
  { serviceAccountToken: { expirationSeconds: EXPIRES_SECONDS, path: "token" } },
  { configMap: { name: rootCa, items: [{ key: "ca.crt", path: "ca.crt" }] } },
  { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
];
