import { ageColumn, type BuiltInResource, nameColumn } from "@orch/apis-model";
import { claimTemplateConversion } from "./claim-conversion";
import { validateClaimTemplate, validateClaimTemplateUpdate } from "./claim-template-validation";
import { HUB_VERSIONS, V1BETA1 } from "./device-versions";
import { gatedDevices } from "./gated-claim-fields";

export const resourceClaimTemplates = {
  group: "resource",
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
  scope: "Namespaced",
  versions: [...HUB_VERSIONS, { ...V1BETA1, conversion: claimTemplateConversion }],
  rules: {
    nameFormat: "subdomain",
    declared: true,
    gated: gatedDevices("spec.spec.devices"),
    validate: validateClaimTemplate,
    validateUpdate: validateClaimTemplateUpdate,
  },
  columns: [nameColumn, ageColumn],
} as const satisfies BuiltInResource;
