import { type BuiltInResource, type GatedFields, objectAt, objectsAt } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";
import { definitionConversion } from "./definition-conversion";
import { BETA_DEFAULTS, defaultDefinition } from "./definition-defaults";
import { definitionDeletion } from "./definition-deletion";
import { dropOptionalOldSelf } from "./definition-rule-fields";
import { validateDefinitionStatus, validateDefinitionUpdate, validateNewDefinition } from "./definition-validation";
import { definitionWarnings } from "./definition-warnings";

const OBSERVED_GENERATIONS: GatedFields = {
  CRDObservedGenerationTracking: ["status.observedGeneration", "status.conditions[].observedGeneration"],
};

export const customResourceDefinitions = {
  group: "apiextensions",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.16", conversion: definitionConversion },
    {
      version: "v1beta1",
      defaults: BETA_DEFAULTS,
      introduced: "1.7",
      deprecated: "1.16",
      removed: "1.22",
      replacement: "apiextensions/v1",
    },
  ],
  defaults: { fields: { "spec.conversion": { strategy: "None" } }, then: defaultDefinition },
  rules: {
    nameFormat: "subdomain",
    anyFinalizer: true,
    gated: {
      ...OBSERVED_GENERATIONS,
      CustomResourceFieldSelectors: ["spec.versions[].selectableFields"],
    },
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    unconditionalUpdate: false,
    create(definition, context) {
      dropOptionalOldSelf(definition, undefined, context);
      noteStorageVersion(definition);
    },
    update(definition, old, context) {
      dropOptionalOldSelf(definition, old, context);
      noteStorageVersion(definition);
    },
    validateCreate: validateNewDefinition,
    validateUpdate: validateDefinitionUpdate,
    deletion: definitionDeletion,
    warnings: definitionWarnings,
  },
  subresources: {
    status: {
      keeps: ["spec", "metadata.labels", "metadata.annotations", "metadata.ownerReferences"],
      gated: OBSERVED_GENERATIONS,
      validateUpdate: validateDefinitionStatus,
    },
  },
} as const satisfies BuiltInResource;

/**
 * Adds the storage version to `storedVersions`. Former storage versions stay, because objects may still be stored in
 * them.
 */
function noteStorageVersion(definition: JsonObject): void {
  const storage = objectsAt(objectAt(definition, "spec"), "versions").find((version) => version["storage"] === true);
  const name = storage?.["name"];
  const status = objectAt(definition, "status");
  const noted = Array.isArray(status["storedVersions"]) ? status["storedVersions"] : [];
  if (typeof name === "string" && !noted.includes(name)) status["storedVersions"] = [...noted, name];
}
