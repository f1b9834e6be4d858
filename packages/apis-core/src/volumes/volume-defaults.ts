// Defaults of volumes of pods and of persistent volumes. Unconditional defaults are in the schema.

import { type DefaultRules, roundResources } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/** Default file mode: rw-r--r-- */
const FILE_MODE = 0o644;

/** Defaults of claims: persistent volume claims, templates of stateful sets, and ephemeral volumes. */
export const VOLUME_CLAIM_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "core/v1.PersistentVolumeClaim": {
    fields: { "status.phase": "Pending" },
    then: ({ status }) => {
      if (isObject(status)) roundResources(status, "capacity");
    },
  },
  "core/v1.PersistentVolumeClaimSpec": { fields: { volumeMode: "Filesystem" } },
};

export const VOLUME_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "core/v1.Volume": { then: emptyWithoutSource },
  "core/v1.PersistentVolumeSpec": { then: (volume) => roundResources(volume, "capacity") },
  "core/v1.HostPathVolumeSource": { fields: { type: "" } },
  "core/v1.SecretVolumeSource": { fields: { defaultMode: FILE_MODE } },
  "core/v1.ConfigMapVolumeSource": { fields: { defaultMode: FILE_MODE } },
  "core/v1.DownwardAPIVolumeSource": { fields: { defaultMode: FILE_MODE } },
  "core/v1.ProjectedVolumeSource": { fields: { defaultMode: FILE_MODE } },
  "core/v1.ServiceAccountTokenProjection": { fields: { expirationSeconds: 3600 } },
};

/** Makes a volume without a source an emptyDir. */
function emptyWithoutSource(volume: JsonObject): void {
  for (const field in volume) if (field !== "name" && volume[field] != null) return;
  volume["emptyDir"] = {};
}
