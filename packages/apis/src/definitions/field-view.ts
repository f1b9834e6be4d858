// View of a subresource that shows one field of its parent's spec as an object of its own kind, as older releases do.

import { ALL_FEATURES, fieldAt, objectAt } from "@orch/apis-model";
import { copyJson, metaOf, type SubresourceView } from "@orch/machinery";
import type { JsonObject, ObjectType, Schema } from "@orch/schema";
import { BodyVersion } from "./body-version";
import { DefaultingType } from "./defaulting-type";

/** Creates the view. @param of the parent's version; its group by the published name */
export function fieldView(
  schema: Schema,
  of: { readonly group: string; readonly version: string; readonly kind: string },
  field: string,
): SubresourceView {
  const version = new BodyVersion(schema, of);
  let type: ObjectType | undefined;
  return {
    version,
    read(parent) {
      const { name = "", namespace = "", uid = "", resourceVersion = "", creationTimestamp = null } = metaOf(parent);
      const { kind, apiVersion } = version;
      const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
      const value = fieldAt(parent, ["spec", field]);
      return { kind, apiVersion, metadata, [field]: value === undefined ? [] : copyJson(value as JsonObject) };
    },
    write(parent, view) {
      type ??= new DefaultingType(version.type, undefined, { vocabulary: schema.vocabulary, features: ALL_FEATURES });
      type.applyDefaults(view);
      objectAt(parent, "spec")[field] = view[field] ?? [];
    },
    validate: () => [],
  };
}
