// PersistentVolumeClaimResize plugin: allows a claim to grow when its storage class allows volume expansion. Source:
// plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
import { type AdmissionRequest, metaOf } from "@orch/machinery";
import { type JsonObject, parseQuantity } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

const ONLY_BOUND = "Only bound persistent volume claims can be expanded";
const ONLY_EXPANDABLE =
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";

export const persistentVolumeClaimResize = definePlugin({
  name: "PersistentVolumeClaimResize",
  reads: ["vocabulary", "objects"],
  make({ vocabulary: { annotations, groups }, objects }) {
    const classes = objects.lister({ group: groups.storage, resource: "storageclasses" });

    function judge(request: AdmissionRequest, storageClass: JsonObject | undefined): void {
      if (storageClass?.["allowVolumeExpansion"] !== true) throw forbidden(request, ONLY_EXPANDABLE);
    }

    return {
      on: [{ operations: ["UPDATE"], resources: [{ group: "", plural: "persistentvolumeclaims", subresource: "" }] }],
      validate(request) {
        const { object = {}, oldObject = {} } = request;
        if (sizeOf(object) <= sizeOf(oldObject)) return;
        if ((oldObject["status"] as JsonObject | undefined)?.["phase"] !== "Bound")
          throw forbidden(request, ONLY_BOUND);
        const name = classOf(object, annotations.volumeBetaStorageClass);
        if (name === "" || name !== classOf(oldObject, annotations.volumeBetaStorageClass))
          throw forbidden(request, ONLY_EXPANDABLE);
        const found = classes.find({ namespace: "", name });
        return found instanceof Promise ? found.then((late) => judge(request, late)) : judge(request, found);
      },
    };
  },
});

/** Returns the requested size in nano-bytes. */
function sizeOf(claim: JsonObject): bigint {
  const { resources } = (claim["spec"] ?? {}) as { readonly resources?: { readonly requests?: JsonObject } };
  const size = resources?.requests?.["storage"];
  return parseQuantity(String(size ?? "0"))?.nanos ?? 0n;
}

function classOf(claim: JsonObject, annotation: string): string {
  const { annotations = {} } = metaOf(claim);
  const { storageClassName } = (claim["spec"] ?? {}) as { readonly storageClassName?: string | null };
  return annotations[annotation] ?? storageClassName ?? "";
}
