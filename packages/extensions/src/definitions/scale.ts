// Scale subresource of custom resources. Source: Kubernetes documentation, "Extend the Kubernetes API with
// CustomResourceDefinitions", "Scale subresource".
import {
  badRequest,
  field,
  internalError,
  metaOf,
  type ServedVersion,
  type Strategy,
  type Subresource,
  type ViewedField,
} from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, memberOf, type RuntimeType, setMember } from "@orch/schema";
import type { CustomVersion } from "./custom-version";
import { type ScalePaths, valueAt } from "./scale-paths";

export interface ScaleParts {
  /** autoscaling/v1 Scale. */
  readonly version: ServedVersion;
  readonly strategy: Strategy;
  readonly versionOf: (through: { readonly group: string; readonly version: string }) => CustomVersion;
  readonly storage: CustomVersion;
  /** All versions, served or not. */
  readonly versions: readonly CustomVersion[];
  /** Whether managedFields track changes through the subresource. */
  readonly tracksOwners: boolean;
}

export function scaleOf(parts: ScaleParts): Subresource {
  const made = new Map<ScalePaths, Subresource>();
  const inVersion = (paths: ScalePaths): Subresource => {
    const known = made.get(paths) ?? scaleAt(paths, parts);
    made.set(paths, known);
    return known;
  };
  return {
    verbs: [],
    prepareForUpdate: () => undefined,
    through(parent) {
      const paths = parts.versionOf(parent).scale;
      return paths && inVersion(paths);
    },
  };
}

function scaleAt(paths: ScalePaths, { version, strategy, storage, versions, tracksOwners }: ScaleParts): Subresource {
  return {
    verbs: ["get", "update", "patch"],
    prepareForUpdate: (object, old, context) => strategy.prepareForUpdate?.(object, old, context),
    validateUpdate: (object, old, through, warn) => strategy.validateUpdate?.(object, old, through, warn) ?? [],
    view: {
      version,
      ...(tracksOwners && { field: replicasField(versions) }),
      read: (parent) => shown(paths, parent, version),
      requireValue(parent) {
        if (replicasOf(paths, parent) === undefined) throw internalError(`${fieldText(paths)} does not exist`);
      },
      markMissing(scale, parent) {
        if (replicasOf(paths, parent) === undefined) setAt(scale, REPLICAS, MISSING);
      },
      write(parent, scale) {
        // A field that the schema does not define is pruned, as in every other write.
        if (!hasPlaceFor(paths.specReplicas, storage.root)) return;
        setAt(parent, paths.specReplicas, valueAt(scale, REPLICAS) ?? 0);
      },
      validate(scale) {
        const replicas = valueAt(scale, REPLICAS) ?? 0;
        if (replicas === MISSING) throw badRequest(`${fieldText(paths)} cannot be empty`);
        return typeof replicas === "number" && replicas >= 0
          ? []
          : [field.invalid("spec.replicas", replicas, "must be greater than or equal to 0")];
      },
    },
  };
}

const REPLICAS = ["spec", "replicas"];

function replicasField(versions: readonly CustomVersion[]): ViewedField {
  const known = new Map(versions.map(({ apiVersion, scale }) => [apiVersion, scale?.specReplicas]));
  return { path: REPLICAS, pathIn: (apiVersion) => (known.has(apiVersion) ? known.get(apiVersion) : "unknown") };
}

/**
 * Number of replicas that a patch starts from while the object has none: the minimum int32, which no object can have.
 */
const MISSING = -(2 ** 31);

const replicasOf = ({ specReplicas }: ScalePaths, parent: JsonObject): JsonValue | undefined =>
  valueAt(parent, specReplicas) ?? undefined;

const fieldText = ({ specReplicas }: ScalePaths): string => `the spec replicas field ".${specReplicas.join(".")}"`;

function shown(paths: ScalePaths, parent: JsonObject, version: ServedVersion): JsonObject {
  const { statusReplicas, selector } = paths;
  const { name = "", namespace = "", uid = "", resourceVersion = "", creationTimestamp = null } = metaOf(parent);
  const text = selector && valueAt(parent, selector);
  return version.type.decode({
    kind: version.kind,
    apiVersion: version.apiVersion,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: replicasOf(paths, parent) ?? 0 },
    status: { replicas: valueAt(parent, statusReplicas) ?? 0, ...(typeof text === "string" ? { selector: text } : {}) },
  }).value;
}

/** Reports whether objects of this type keep a value at the path. */
function hasPlaceFor(path: readonly string[], root: RuntimeType): boolean {
  let type = root;
  for (const name of path) {
    switch (type.kind) {
      case "struct": {
        const field = type.fieldByName.get(name);
        if (field === undefined) return type.keepsUnknownFields;
        type = field.type;
        break;
      }
      case "map":
        type = type.value;
        break;
      case "any":
      case "object":
        return true;
      default:
        return false;
    }
  }
  return true;
}

function setAt(object: JsonObject, names: readonly string[], value: JsonValue): void {
  let at = object;
  for (const name of names.slice(0, -1)) {
    const next = memberOf(at, name);
    if (isObject(next)) at = next;
    else {
      const made: JsonObject = {};
      setMember(at, name, made);
      at = made;
    }
  }
  setMember(at, names.at(-1) ?? "", value);
}
