// Types of answers that only this API has: they are sent, but never stored or decoded, so that the schema does not record
// them. Source: docs/history.md and docs/lists.md.
import { dynamicStruct, type JsonObject, type RuntimeType, type Schema, type StructType } from "@orch/schema";
import { knownType, META } from "./meta-types";

interface Member {
  readonly type: RuntimeType;
  readonly description: string;
  readonly required?: true;
}

const TEXT: RuntimeType = { kind: "string" };
const listOf = (element: RuntimeType): RuntimeType => ({ kind: "list", element, relation: "atomic", keys: [] });
const text = (description: string): Member => ({ type: TEXT, description });
const requiredText = (description: string): Member => ({ ...text(description), required: true });
const ROOT = {
  apiVersion: text("Version of the API in which the answer is written."),
  kind: text("Kind of the answer."),
} as const;

/** @param name without its place, such as `RevisionList` */
function answerType(name: string, description: string, members: Readonly<Record<string, Member>>): StructType {
  const entries = Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));
  const required = entries.flatMap(([member, { required }]) => (required === true ? [member] : []));
  return dynamicStruct({
    name: `${META}.${name}`,
    fields: [],
    *published(version, reference): Generator<undefined, JsonObject> {
      const properties = entries.map(([member, { type, description }]) => [
        member,
        described(description, reference(type), version),
      ]);
      return {
        description,
        type: "object",
        ...(required.length > 0 && { required }),
        properties: Object.fromEntries(properties) as JsonObject,
      };
    },
  });
}

/** In version 3 a reference has no siblings. */
const described = (description: string, schema: JsonObject, version: "v2" | "v3"): JsonObject =>
  version === "v3" && "$ref" in schema ? { description, allOf: [schema] } : { description, ...schema };

const PATCH_STEP = answerType("RevisionPatchStep", "One operation of a JSON patch (RFC 6902).", {
  op: requiredText("The operation: add, remove or replace."),
  path: requiredText("JSON pointer (RFC 6901) to the changed value."),
  value: { type: { kind: "any" }, description: "The new value." },
});

const REVISION = answerType("Revision", "A recorded write of an object.", {
  resourceVersion: requiredText("Resource version of the object after the write."),
  replaces: text("Resource version of the object before the write; absent when the object was created."),
  time: requiredText("Time of the replica that carried out the write."),
  change: requiredText("What was done to the object: created, updated or deleted."),
  verb: text("Verb of the request."),
  subresource: text("Subresource of the request."),
  user: text("Name of the user of the request."),
  userAgent: text("Program that sent the request."),
  fieldManager: text("Field manager of the request."),
  patch: {
    type: listOf(PATCH_STEP),
    description: "Difference from the state before the write to the one after it, without managedFields.",
  },
  note: text("The reason why there is no patch."),
});

/** Returns the answer of the subresource `history`. */
export const revisionListType = (schema: Schema): StructType =>
  answerType("RevisionList", "The recorded writes of an object, the newest first.", {
    ...ROOT,
    metadata: { type: knownType(schema, META, "ListMeta"), description: "Metadata of the list." },
    items: { type: listOf(REVISION), description: "The recorded writes.", required: true },
  });

/** Answer of a watch of several resources: one in each line, or in each Server-Sent Event. */
export const RESOURCE_EVENT = answerType("ResourceEvent", "A change in a watch of several resources.", {
  resource: text("The resource, as GROUP/VERSION/RESOURCE or VERSION/RESOURCE; absent in bookmarks."),
  resourceVersion: text("Version from which a new watch continues after this event."),
  type: requiredText("ADDED, MODIFIED, DELETED, BOOKMARK, ERROR or REFUSED."),
  object: { type: { kind: "object" }, description: "The object, or a Status after ERROR and REFUSED.", required: true },
});
