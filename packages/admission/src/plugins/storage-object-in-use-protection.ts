// StorageObjectInUseProtection plugin: adds a finalizer to claims and volumes. A controller removes it when they are no
// longer used. Source: plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go.
import { metaOf, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";

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
