// Usage of persistent volume claims. Source: pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
import { metaOf } from "@orch/machinery";
import { isObject, type JsonObject, memberOf, type Quantity, roundUpQuantity, type Vocabulary } from "@orch/schema";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import { ONE, usageOf } from "./usage";

const COUNT = "count/persistentvolumeclaims";
const CLAIMS = "persistentvolumeclaims";
const STORAGE = "requests.storage";

export function claimsEvaluator({ resourceNames, annotations }: Vocabulary): QuotaEvaluator {
  /** Text between the class name and the resource name. */
  const ofClass = resourceNames.storageclassStorage;
  const classAnnotation = annotations.volumeBetaStorageClass;

  function classOf(claim: JsonObject): string {
    const annotated = memberOf(metaOf(claim).annotations ?? {}, classAnnotation);
    if (typeof annotated === "string") return annotated;
    const { spec } = claim;
    const named = isObject(spec) ? spec["storageClassName"] : undefined;
    return typeof named === "string" ? named : "";
  }

  return {
    resource: { group: "", resource: "persistentvolumeclaims" },
    chargesUpdates: true,
    knows: (name) =>
      name === COUNT || [CLAIMS, STORAGE].some((base) => name === base || name.endsWith(`${ofClass}${base}`)),
    usage(claim) {
      const usage = new Map<string, Quantity>([
        [COUNT, ONE],
        [CLAIMS, ONE],
      ]);
      const name = classOf(claim);
      if (name !== "") usage.set(`${name}${ofClass}${CLAIMS}`, ONE);
      const asked = storageOf(claim);
      if (asked === undefined) return usage;
      const bytes = roundUpQuantity(asked, 0);
      usage.set(STORAGE, bytes);
      if (name !== "") usage.set(`${name}${ofClass}${STORAGE}`, bytes);
      return usage;
    },
    essence(claim) {
      const { spec } = claim;
      const annotated = memberOf(metaOf(claim).annotations ?? {}, classAnnotation);
      const metadata = {
        ...countedMeta(claim),
        ...(typeof annotated === "string" && { annotations: { [classAnnotation]: annotated } }),
      };
      if (!isObject(spec)) return { metadata };
      const { storageClassName, resources = {} } = spec;
      return { metadata, spec: { resources, ...(storageClassName && { storageClassName }) } };
    },
  };
}

function storageOf({ spec }: JsonObject): Quantity | undefined {
  const resources = isObject(spec) ? spec["resources"] : undefined;
  return isObject(resources) ? usageOf(resources["requests"]).get("storage") : undefined;
}
