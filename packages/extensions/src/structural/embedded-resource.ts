// Validation of embedded resources (`x-kubernetes-embedded-resource`): apiVersion, kind and the usual rules of
// metadata.
// Source: Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions".
import {
  copyJson,
  type FieldError,
  field,
  fieldPath,
  label1035Errors,
  metadataErrors,
  NAME_RULES,
  parseApiVersion,
} from "@orch/machinery";
import {
  DecodeError,
  isObject,
  type JsonObject,
  type JsonValue,
  StructObjectType,
  type StructType,
} from "@orch/schema";

/** Returns the errors of an embedded resource. @param metadata type of the metadata */
export function embeddedErrors(object: JsonObject, path: string, metadata: StructType): readonly FieldError[] {
  return [
    ...textErrors(object["apiVersion"], fieldPath.child(path, "apiVersion"), (text) =>
      parseApiVersion(text) === undefined ? [`unexpected GroupVersion string: ${text}`] : [],
    ),
    ...textErrors(object["kind"], fieldPath.child(path, "kind"), (text) =>
      label1035Errors(text.toLowerCase()).map((rule) => `may have mixed case, but should otherwise match: ${rule}`),
    ),
    ...metaErrors(object, path, metadata),
  ];
}

function textErrors(
  value: JsonValue | undefined,
  path: string,
  errorsOf: (text: string) => readonly string[],
): readonly FieldError[] {
  if (value === undefined) return [field.required(path, "must not be empty")];
  // Reported in any case: the schema check covers only declared fields.
  if (typeof value !== "string") return [field.invalid(path, value, "must be a string")];
  if (value === "") return [field.invalid(path, "", "must not be empty")];
  return errorsOf(value).map((rule) => field.invalid(path, value, rule));
}

/** Returns the errors of embedded metadata. Name and namespace are both optional. */
function metaErrors(object: JsonObject, path: string, type: StructType): readonly FieldError[] {
  const { metadata: given } = object;
  if (given === undefined || given === null) return [];
  const metadata = decoded(given, type, path);
  if (Array.isArray(metadata)) return metadata;
  const { namespace } = metadata as JsonObject;
  const scope = typeof namespace === "string" && namespace !== "" ? "Namespaced" : "Cluster";
  return metadataErrors({ metadata: metadata as JsonObject }, { scope, nameErrors: NAME_RULES.pathSegment })
    .filter((error) => !(error.kind === "Required" && error.path === "metadata.name"))
    .map((error) => ({ ...error, path: fieldPath.child(path, error.path) }));
}

/** Decodes metadata. The metadata of defaults, unlike that of objects, has not been decoded before. */
function decoded(metadata: JsonValue, type: StructType, path: string): JsonObject | readonly FieldError[] {
  if (!isObject(metadata)) return [];
  try {
    return new StructObjectType("", type).decode(copyJson(metadata)).value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const rule = `must be ${error.expected}, found ${error.found}`;
    return [
      field.invalid(
        fieldPath.child(path, ...["metadata", error.path].filter((step) => step !== "")),
        error.value ?? error.found,
        rule,
      ),
    ];
  }
}
