// Defaults of custom resource definitions. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go.

import { type DefaultRules, fieldAt, objectAt, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/** Sets the default names and `storedVersions`. */
export function defaultDefinition(definition: JsonObject): void {
  const spec = objectAt(definition, "spec");
  nameList(objectAt(spec, "names"));
  const status = objectAt(definition, "status");
  const storage = objectsAt(spec, "versions").find((version) => version["storage"] === true)?.["name"];
  const noted = status["storedVersions"];
  if (storage !== undefined && !(Array.isArray(noted) && noted.length > 0)) status["storedVersions"] = [storage];
}

function nameList(names: JsonObject): void {
  const { kind } = names;
  if (typeof kind !== "string" || kind === "") return;
  if (!names["singular"]) names["singular"] = kind.toLowerCase();
  if (!names["listKind"]) names["listKind"] = `${kind}List`;
}

/** Defaults of v1beta1, in which a definition could have a single version and preserve unknown fields. */
export const BETA_DEFAULTS: DefaultRules = {
  first: (definition) => pairVersions(objectAt(definition, "spec")),
  fields: {
    "spec.scope": "Namespaced",
    "spec.conversion": { strategy: "None" },
    "spec.preserveUnknownFields": true,
  },
  then: (definition) => {
    defaultDefinition(definition);
    const conversion = fieldAt(definition, ["spec", "conversion"]);
    if (!isObject(conversion) || conversion["strategy"] !== "Webhook") return;
    const { conversionReviewVersions: reviews } = conversion;
    if (!Array.isArray(reviews) || reviews.length === 0) conversion["conversionReviewVersions"] = ["v1beta1"];
  },
};

/** Makes `version` and the first of `versions` agree. */
function pairVersions(spec: JsonObject): void {
  const versions = objectsAt(spec, "versions");
  const { version } = spec;
  if (version && versions.length === 0) spec["versions"] = [{ name: version, served: true, storage: true }];
  const first = versions[0]?.["name"];
  if (!version && first !== undefined) spec["version"] = first;
}
