import type { JsonObject } from "@orch/schema";
import type { BuiltInResource } from "../built-in-resource";
import { isObject, objectAt, takeField } from "../field-path";
import { text } from "../selectable-fields";

export const secrets = {
  group: "core",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  defaults: { fields: { type: "Opaque" } },
  rules: { nameFormat: "subdomain", create: encodeText, update: encodeText },
  selectableFields: { type: text("type") },
} as const satisfies BuiltInResource;

/** `stringData` is for writing only: its texts join `data`, over what is there, as bytes in base64. */
function encodeText(secret: JsonObject): void {
  const plain = takeField(secret, "stringData");
  if (!isObject(plain)) return;
  for (const [key, value] of Object.entries(plain)) {
    if (typeof value === "string") objectAt(secret, "data")[key] = Buffer.from(value, "utf8").toString("base64");
  }
}
