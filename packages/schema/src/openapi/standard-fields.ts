// Fields of published models of objects and lists besides those of their types. Clients look for the first words of
// their descriptions.
import type { JsonObject } from "../json/json-value";

const API_VERSION = "defines the group and the version in which the object is written, such as example.com/v1.";
const KIND = "is the name of the object's type, in CamelCase. It never changes.";

/** Returns the fields of an object. @param metadata reference to the model of the metadata */
export function standardObjectFields(version: "v2" | "v3", metadata: JsonObject): JsonObject {
  const text =
    "Standard object's metadata. It holds the name, namespace, labels, annotations and what the server keeps of an object.";
  return {
    apiVersion: { type: "string", description: `APIVersion ${API_VERSION}` },
    kind: { type: "string", description: `Kind ${KIND}` },
    metadata: describedReference(version, text, metadata),
  };
}

/** Returns the fields of an embedded object. */
export function embeddedObjectFields(version: "v2" | "v3", metadata: JsonObject): JsonObject {
  return {
    ...standardObjectFields(version, metadata),
    apiVersion: { type: "string", description: `apiVersion ${API_VERSION}` },
    kind: { type: "string", description: `kind ${KIND}` },
  };
}

export function standardListFields(version: "v2" | "v3", metadata: JsonObject): JsonObject {
  const text = "Standard list metadata. It holds the resource version of the list and where the list continues.";
  return { ...standardObjectFields(version, metadata), metadata: describedReference(version, text, metadata) };
}

/** Returns a reference with a description. In version 3 a reference has no siblings. */
function describedReference(version: "v2" | "v3", description: string, reference: JsonObject): JsonObject {
  return version === "v2" ? { description, ...reference } : { description, allOf: [reference] };
}
