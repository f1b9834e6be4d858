import { ageColumn, type BuiltInResource, nameColumn } from "@orch/apis-model";
import { claimTemplateConversion } from "./claim-conversion";
import { validateClaimTemplate, validateClaimTemplateUpdate } from "./claim-template-validation";
import { gatedDevices } from "./gated-claim-fields";

export const resourceClaimTemplates = {
  group: "resource",
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.34" },
    { version: "v1beta2", introduced: "1.33", deprecated: "1.36", removed: "1.39", replacement: "resource/v1" },
    {
      version: "v1beta1",
      introduced: "1.32",
      deprecated: "1.35",
      removed: "1.38",
      replacement: "resource/v1",
      conversion: claimTemplateConversion,
    },
  ],
  rules: {
    nameFormat: "subdomain",
    gated: gatedDevices("spec.spec.devices"),
    validate: validateClaimTemplate,
    validateUpdate: validateClaimTemplateUpdate,
  },
  columns: [nameColumn, ageColumn],
} as const satisfies BuiltInResource;
