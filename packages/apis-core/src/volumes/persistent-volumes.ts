import { type BuiltInResource, objectAt, type RuleContext } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import { persistentVolumeErrors, persistentVolumeUpdateErrors } from "./persistent-volume-validation";
import { persistentVolumeColumns } from "./volume-columns";
import { persistentVolumeWarnings } from "./volume-object-warnings";

const PHASE_TIME = "PersistentVolumeLastPhaseTransitionTime";

export const persistentVolumes = {
  group: "core",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  shortNames: ["pv"],
  scope: "Cluster",
  versions: [{ version: "v1" }],
  defaults: {
    fields: {
      "status.phase": "Pending",
      "spec.persistentVolumeReclaimPolicy": "Retain",
      "spec.volumeMode": "Filesystem",
    },
  },
  rules: {
    nameFormat: "subdomain",
    gated: { VolumeAttributesClass: ["spec.volumeAttributesClassName"] },
    initialStatus: { phase: "Pending" },
    keepOnUpdate: ["status"],
    create: (volume, { features, request }) => {
      if (request !== undefined && features.isOn(PHASE_TIME)) {
        objectAt(volume, "status")["lastPhaseTransitionTime"] = request.now;
      }
    },
    warnings: persistentVolumeWarnings,
    validate: persistentVolumeErrors,
    strictFormats: { "spec.nodeAffinity.required.nodeSelectorTerms[]": "nodeTerm" },
    validateUpdate: persistentVolumeUpdateErrors,
  },
  subresources: { status: { keeps: ["spec"], update: stampPhase } },
  deleteReturnsObject: true,
  columns: persistentVolumeColumns,
} as const satisfies BuiltInResource;

/** Records when the phase changes, unless the client does. Source: KEP-3762, "PersistentVolume last phase transition time". */
function stampPhase(volume: JsonObject, old: JsonObject, { features, request }: RuleContext): void {
  if (!features.isOn(PHASE_TIME)) return;
  const status = objectAt(volume, "status");
  const before = isObject(old["status"]) ? old["status"] : {};
  const { lastPhaseTransitionTime: time } = status;
  const { lastPhaseTransitionTime: former } = before;
  if (status["phase"] === before["phase"]) {
    if (time === undefined && former !== undefined) status["lastPhaseTransitionTime"] = former;
  } else if ((time === undefined || time === former) && request !== undefined) {
    status["lastPhaseTransitionTime"] = request.now;
  }
}
