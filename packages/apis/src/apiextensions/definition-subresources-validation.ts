// Status and scale subresources of custom resources. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import { fields, ifSet, type Rule, required } from "@orch/apis-model";
import type { apiextensionsV1beta1, JsonObject } from "@orch/schema";
import { type Definition, partOf, partsOf, rootsOf } from "./definition-parts";

/** Requires a path below one of the parents, without wildcards or lists. */
const pathBelow =
  (...parents: readonly string[]): Rule<string> =>
  (path, at, report) => {
    if (parents.some((parent) => path.startsWith(parent))) return;
    report.invalid(at, path, `should be a json path under ${parents.join(" or ")}`);
  };

const subresources = fields<apiextensionsV1beta1.CustomResourceSubresources>({
  scale: fields<apiextensionsV1beta1.CustomResourceSubresourceScale>({
    specReplicasPath: required(pathBelow(".spec.")),
    statusReplicasPath: required(pathBelow(".status.")),
    labelSelectorPath: ifSet(pathBelow(".spec.", ".status.")),
  }),
});

export const definitionSubresources: Rule<Definition> = (definition, _at, report) => {
  for (const { part, at } of partsOf(definition, "subresources")) subresources(part, at, report);
};

/**
 * Keywords allowed at the root of a schema when the status subresource is enabled, because the status is validated
 * separately.
 */
const WITH_STATUS: ReadonlySet<string> = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
]);

export const rootsWithStatus: Rule<Definition> = (definition, _at, report) => {
  const { preserveUnknownFields, validations } = report.vocabulary.schemaExtensions;
  for (const { root, at, versions } of rootsOf(definition)) {
    if (!versions.some((version) => partOf(definition, version, "subresources")?.status !== undefined)) continue;
    const { type = "" } = root;
    if (type !== "" && type !== "object") {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      report.invalid(at.field("type"), type, detail);
    }
    const keywords = Object.keys(root as unknown as JsonObject);
    const extra = keywords.filter(
      (name) => !WITH_STATUS.has(name) && name !== preserveUnknownFields && name !== validations,
    );
    if (extra.length > 0) {
      const detail = `${extra.join(", ")} may not stand at the root of the schema if the status subresource is enabled`;
      report.invalid(at, root, detail);
    }
  }
};
