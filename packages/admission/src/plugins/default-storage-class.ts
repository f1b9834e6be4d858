// DefaultStorageClass plugin: sets the default class on claims without one. Source:
// plugin/pkg/admission/storage/storageclass/setdefault/admission.go.
import { type MutableAdmissionRequest, metaOf } from "@orch/machinery";
import { existsIn, type JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { defaultClasses, writableSpec } from "./default-class";

/** Releases in which the newest of several default classes is used. */
const NEWEST_COUNTS = { since: "1.26" };

export const defaultStorageClass = definePlugin({
  name: "DefaultStorageClass",
  reads: ["vocabulary", "release", "objects"],
  make({ vocabulary: { annotations, groups }, release, objects }) {
    const classes = objects.lister({ group: groups.storage, resource: "storageclasses" });
    const marks = [annotations.storageclassIsDefaultClass, annotations.storageclassBetaIsDefaultClass];
    const newestCounts = existsIn(NEWEST_COUNTS, release);

    function choose(request: MutableAdmissionRequest, all: readonly JsonObject[]): void {
      const [name, ...others] = defaultClasses(all, marks);
      if (others.length > 0 && !newestCounts) {
        throw forbidden(request, `${others.length + 1} default StorageClasses were found, only 1 allowed`);
      }
      if (name !== undefined) writableSpec(request.object)["storageClassName"] = name;
    }

    return {
      on: [{ operations: ["CREATE"], resources: [{ group: "", plural: "persistentvolumeclaims", subresource: "" }] }],
      mutate(request) {
        const { object } = request;
        if (object === undefined || namesClass(object, annotations.volumeBetaStorageClass)) return;
        const all = classes.all();
        return all instanceof Promise ? all.then((found) => choose(request, found)) : choose(request, all);
      },
    };
  },
});

/** Returns whether the claim names a class. The empty name opts out of the default. */
function namesClass(claim: JsonObject, annotation: string): boolean {
  const { annotations = {} } = metaOf(claim);
  const { storageClassName = null } = (claim["spec"] ?? {}) as JsonObject;
  return Object.hasOwn(annotations, annotation) || storageClassName !== null;
}
