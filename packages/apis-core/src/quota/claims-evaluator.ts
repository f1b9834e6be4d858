// Usage of persistent volume claims. Source: pkg/quota/v1/evaluator/core/persistent_volume_claims.go.
import { metaOf } from "@orch/machinery";
import {
  compareQuantities,
  existsIn,
  isObject,
  type JsonObject,
  type JsonValue,
  memberOf,
  type Quantity,
  roundUpQuantity,
  type Vocabulary,
} from "@orch/schema";
import { attributesClasses, claimInScope } from "./claim-scopes";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import { ONE, usageOf } from "./usage";

const COUNT = "count/persistentvolumeclaims";
const CLAIMS = "persistentvolumeclaims";
const STORAGE = "requests.storage";

/** Releases that charge the storage which an expansion has allocated. */
const ALLOCATED = { since: "1.32" };
/** Releases with quotas for volume attributes classes. */
const CLASSES = { since: "1.33" };

export function claimsEvaluator({ resourceNames, annotations }: Vocabulary, release: string): QuotaEvaluator {
  const chargesAllocated = existsIn(ALLOCATED, release);
  const hasClasses = existsIn(CLASSES, release);
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
      const asked = storageOf(claim, chargesAllocated);
      if (asked === undefined) return usage;
      const bytes = roundUpQuantity(asked, 0);
      usage.set(STORAGE, bytes);
      if (name !== "") usage.set(`${name}${ofClass}${STORAGE}`, bytes);
      return usage;
    },
    ...(hasClasses && { inScope: claimInScope }),
    /** A status update is charged when it changes the classes of the claim or the storage allocated to it. */
    chargesStatus: (old, claim) =>
      (hasClasses && attributesClasses(old).join() !== attributesClasses(claim).join()) ||
      (chargesAllocated && allocatedText(old) !== allocatedText(claim)),
    essence(claim) {
      const { spec, status } = claim;
      const annotated = memberOf(metaOf(claim).annotations ?? {}, classAnnotation);
      const metadata = {
        ...countedMeta(claim),
        ...(typeof annotated === "string" && { annotations: { [classAnnotation]: annotated } }),
      };
      if (!isObject(spec)) return { metadata };
      const { storageClassName, volumeAttributesClassName, resources = {} } = spec;
      return {
        metadata,
        spec: {
          resources,
          ...(storageClassName && { storageClassName }),
          ...(volumeAttributesClassName && { volumeAttributesClassName }),
        },
        ...(isObject(status) && statusEssence(status)),
      };
    },
  };
}

/** Returns the storage that a claim requests, or what an expansion has allocated when that is more. */
function storageOf(claim: JsonObject, chargesAllocated: boolean): Quantity | undefined {
  const { spec } = claim;
  const resources = isObject(spec) ? spec["resources"] : undefined;
  const asked = isObject(resources) ? usageOf(resources["requests"]).get("storage") : undefined;
  if (asked === undefined || !chargesAllocated) return asked;
  const allocated = usageOf(allocatedOf(claim)).get("storage");
  return allocated !== undefined && compareQuantities(allocated, asked) > 0 ? allocated : asked;
}

const allocatedOf = ({ status }: JsonObject) => (isObject(status) ? status["allocatedResources"] : undefined);

function allocatedText(claim: JsonObject): string {
  const allocated = allocatedOf(claim);
  return isObject(allocated) ? String(allocated["storage"] ?? "") : "";
}

const COUNTED_STATUS = ["allocatedResources", "currentVolumeAttributesClassName", "modifyVolumeStatus"] as const;

function statusEssence(status: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const name of COUNTED_STATUS) if (status[name] !== undefined) kept[name] = status[name] as JsonValue;
  return Object.keys(kept).length === 0 ? {} : { status: kept };
}
