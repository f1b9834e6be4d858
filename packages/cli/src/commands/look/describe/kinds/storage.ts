import { isObject, type JsonObject } from "@orch/schema";
import { at, fact, itemsAt, type KindView, mapText, textAt } from "../kind-view";

const PODS = "pods";

const usesClaim = (claim: JsonObject) => (pod: JsonObject) =>
  itemsAt(pod, "spec.volumes").some(
    (volume) => textAt(volume, "persistentVolumeClaim.claimName") === textAt(claim, "metadata.name"),
  );

export const CLAIM: KindView = {
  facts: [
    fact("Status", "status.phase"),
    fact("Volume", "spec.volumeName", "<none>"),
    fact("Storage Class", "spec.storageClassName", "<none>"),
    fact("Requested", "spec.resources.requests.storage"),
    fact("Capacity", "status.capacity.storage", "<none>"),
    fact("Access Modes", "spec.accessModes"),
    fact("Volume Mode", "spec.volumeMode"),
    ["Data Source", (claim) => mapText(at(claim, "spec.dataSource"))],
    [
      "Used By",
      (_, { found }) => {
        const pods = found.get(PODS);
        return pods && (pods.map((pod) => textAt(pod, "metadata.name")).join(", ") || "<none>");
      },
    ],
  ],
  shows: [
    ...["spec.volumeName", "spec.storageClassName", "spec.resources", "spec.accessModes", "spec.volumeMode"],
    ...["spec.dataSource", "status.phase", "status.capacity", "status.accessModes"],
  ],
  questions: (claim) => [{ name: PODS, resource: "pods", isWanted: usesClaim(claim) }],
};

/** Members of the specification of a volume that are no source. */
const NO_SOURCE = new Set([
  ...["accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"],
  ...["storageClassName", "volumeAttributesClassName", "volumeMode"],
]);

export const VOLUME: KindView = {
  facts: [
    fact("Status", "status.phase"),
    fact("Reason", "status.reason"),
    [
      "Claim",
      (volume) => {
        const name = textAt(volume, "spec.claimRef.name");
        return name === undefined ? "<none>" : `${textAt(volume, "spec.claimRef.namespace")}/${name}`;
      },
    ],
    fact("Storage Class", "spec.storageClassName", "<none>"),
    fact("Reclaim Policy", "spec.persistentVolumeReclaimPolicy"),
    fact("Capacity", "spec.capacity.storage"),
    fact("Access Modes", "spec.accessModes"),
    fact("Volume Mode", "spec.volumeMode"),
    [
      "Source",
      ({ spec }) => {
        const entries = isObject(spec) ? Object.entries(spec) : [];
        const [kind, of] = entries.find(([key]) => !NO_SOURCE.has(key)) ?? [];
        return kind === undefined ? undefined : `${kind} (${mapText(of) ?? ""})`;
      },
    ],
  ],
  shows: [
    ...["spec.claimRef", "spec.storageClassName", "spec.persistentVolumeReclaimPolicy", "spec.capacity"],
    ...["spec.accessModes", "spec.volumeMode", "status.phase", "status.reason"],
  ],
};

export const STORAGE_CLASS: KindView = {
  facts: [
    fact("Provisioner", "provisioner"),
    fact("Reclaim Policy", "reclaimPolicy"),
    fact("Binding Mode", "volumeBindingMode"),
    fact("Allows Expansion", "allowVolumeExpansion"),
    fact("Mount Options", "mountOptions"),
    fact("Parameters", "parameters"),
  ],
  shows: [
    ...["provisioner", "reclaimPolicy", "volumeBindingMode", "allowVolumeExpansion", "mountOptions", "parameters"],
  ],
};
