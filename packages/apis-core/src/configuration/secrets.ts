import { ageColumn, type BuiltInResource, column, nameColumn, objectAt, takeField, text } from "@orch/apis-model";
import { bootstrapSecretFlaws } from "@orch/machinery";
import { type coreV1, isObject, type JsonObject } from "@orch/schema";
import { secretErrors, secretUpdateErrors } from "./secret-validation";

export const secrets = {
  group: "core",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  // Runs before field ownership is computed, because the client then owns fields of `data`.
  defaults: { first: encodeText, fields: { type: "Opaque" } },
  rules: {
    nameFormat: "subdomain",
    declared: true,
    create: encodeText,
    update: encodeText,
    validate: secretErrors,
    validateUpdate: secretUpdateErrors,
    warnings: (secret, { vocabulary: { secretTypes } }) =>
      secret["type"] === secretTypes.bootstrapToken
        ? bootstrapSecretFlaws(secret).map((flaw) => `${flaw}: the bootstrap token is not used`)
        : [],
  },
  selectableFields: { type: text("type") },
  columns: [
    nameColumn,
    column<coreV1.Secret>("Type", "What the secret is for.", ({ type }) => type ?? ""),
    column<coreV1.Secret>("Data", "How many entries there are.", ({ data }) => Object.keys(data ?? {}).length),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

/** Merges the write-only `stringData` into `data`, encoded in base64. */
function encodeText(secret: JsonObject): void {
  const plain = takeField(secret, "stringData");
  if (!isObject(plain)) return;
  for (const [key, value] of Object.entries(plain)) {
    if (typeof value === "string") objectAt(secret, "data")[key] = Buffer.from(value, "utf8").toString("base64");
  }
}
