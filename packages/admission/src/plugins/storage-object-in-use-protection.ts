// Claims and volumes stay until nobody uses them: a duty of the controller manager takes away what holds them.
// Source: access-control, `StorageObjectInUseProtection`; facts, admission/plugins.md "Storage and networking defaults".
import { metaOf, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../plugin";

export const storageObjectInUseProtection = definePlugin({
  name: "StorageObjectInUseProtection",
  reads: ["vocabulary"],
  make({ vocabulary: { finalizers } }) {
    const protection: Readonly<Record<string, string>> = {
      persistentvolumes: finalizers.pvProtection,
      persistentvolumeclaims: finalizers.pvcProtection,
    };
    return {
      on: [
        {
          operations: ["CREATE"],
          resources: Object.keys(protection).map((plural) => ({ group: "", plural, subresource: "" })),
        },
      ],
      mutate({ definition, object }) {
        const finalizer = protection[definition.plural];
        if (object !== undefined && finalizer !== undefined) addFinalizer(object, finalizer);
      },
    };
  },
});

function addFinalizer(object: JsonObject, finalizer: string): void {
  const { finalizers = [] } = metaOf(object);
  if (!finalizers.includes(finalizer)) writableMeta(object)["finalizers"] = [...finalizers, finalizer];
}
