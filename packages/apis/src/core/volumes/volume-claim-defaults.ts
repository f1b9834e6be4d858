// Defaults of claims: persistent volume claims, templates of stateful sets, and ephemeral volumes.

import { isObject } from "@orch/schema";
import type { DefaultRules } from "../../model/default-rules";
import { roundResources } from "../pods/resource-list-defaults";

export const VOLUME_CLAIM_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "core/v1.PersistentVolumeClaim": {
    fields: { "status.phase": "Pending" },
    then: ({ status }) => {
      if (isObject(status)) roundResources(status, "capacity");
    },
  },
  "core/v1.PersistentVolumeClaimSpec": { fields: { volumeMode: "Filesystem" } },
};
