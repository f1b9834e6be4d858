// StorageObjectInUseProtection plugin: adds a finalizer to claims, volumes and volume attributes classes. A controller
// removes it when they are no longer used. Source:
// plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go.
import { compareReleases, metaOf, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";

/** First release that protects volume attributes classes by default. */
const CLASSES_SINCE = "1.34";

export const storageObjectInUseProtection = definePlugin({
  name: "StorageObjectInUseProtection",
  reads: ["vocabulary", "release"],
  make({ vocabulary: { finalizers, groups }, release }) {
    const finalizerOf: Readonly<Record<string, string>> = {
      persistentvolumes: finalizers.pvProtection,
      persistentvolumeclaims: finalizers.pvcProtection,
      volumeattributesclasses: finalizers.vacProtection,
    };
    const core = ["persistentvolumes", "persistentvolumeclaims"].map((plural) => ({ group: "", plural }));
    const classes = { group: groups.storage, plural: "volumeattributesclasses" };
    const protectedKinds = compareReleases(release, CLASSES_SINCE) < 0 ? core : [...core, classes];
    return {
      on: [{ operations: ["CREATE"], resources: protectedKinds.map((kind) => ({ ...kind, subresource: "" })) }],
      mutate({ definition, object }) {
        const finalizer = finalizerOf[definition.plural];
        if (object !== undefined && finalizer !== undefined) addFinalizer(object, finalizer);
      },
    };
  },
});

function addFinalizer(object: JsonObject, finalizer: string): void {
  const { finalizers = [] } = metaOf(object);
  if (!finalizers.includes(finalizer)) writableMeta(object)["finalizers"] = [...finalizers, finalizer];
}
