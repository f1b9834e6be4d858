// Scale subresource: shows and sets the number of replicas of its parent. Source: Kubernetes API conventions,
// "Resources", scale subresource.

import {
  ageColumn,
  fieldAt,
  integerColumn,
  nameColumn,
  objectAt,
  type RuleSettings,
  SCALE,
  type ScaleRules,
} from "@orch/apis-model";
import {
  apiVersionText,
  type GroupVersion,
  labelSelectorOfObject,
  labelSelectorText,
  metadataErrors,
  metaOf,
  NAME_RULES,
  type ServedVersion,
  type Strategy,
  type Subresource,
  type SubresourceView,
  standardFinalizers,
  type TableColumn,
  type ViewedField,
} from "@orch/machinery";
import { type autoscalingV1, isObject, type JsonObject, type JsonValue, type Schema } from "@orch/schema";
import { BodyVersion } from "./body-version";
import { declaredValidation } from "./declared-validation";
import { LegacyScale } from "./legacy-scale";

type Scale = autoscalingV1.Scale;

/** Columns of scales since 1.24. Source: pkg/printers/internalversion/printers.go. */
const scaleColumns: readonly TableColumn[] = [
  nameColumn,
  integerColumn<Scale>("Desired", "How many pods there should be.", ({ spec }) => spec?.replicas ?? 0),
  integerColumn<Scale>("Available", "How many pods there are.", ({ status }) => status?.replicas ?? 0),
  ageColumn,
];

interface ScaleParts {
  /** Strategy of the parent, which validates every change. */
  readonly strategy: Strategy;
  readonly settings: RuleSettings;
  /** All group versions of the parent, the hub first. */
  readonly parents: readonly GroupVersion[];
}

/** Builds the subresource. */
export function scaleOf({ scales }: ScaleRules, of: ScaleParts, schema: Schema): Subresource {
  const { strategy, settings, parents } = of;
  const shared = new BodyVersion(schema, SCALE);
  const added: Partial<SubresourceView> = {
    ...(settings.features.since("1.24") && { columns: scaleColumns }),
    ...(settings.features.since("1.22") && { field: replicasField(parents) }),
  };
  const current = scaleIn(shared, { scales, strategy, settings, shared, added });
  const former = new Map<string, Subresource>();
  return {
    ...current,
    through(parent) {
      // Before autoscaling/v1, each group version of workloads had its own Scale.
      if (parent.group === "" || schema.objectType(parent.group, parent.version, SCALE.kind) === undefined)
        return current;
      const key = apiVersionText(parent);
      const own =
        former.get(key) ??
        scaleIn(new LegacyScale(schema, { ...parent, kind: SCALE.kind }), {
          scales,
          strategy,
          settings,
          shared,
          added,
        });
      former.set(key, own);
      return own;
    },
  };
}

function scaleIn(
  version: ServedVersion,
  of: {
    readonly scales: ScaleRules["scales"];
    readonly strategy: Strategy;
    readonly settings: RuleSettings;
    readonly shared: ServedVersion;
    readonly added: Partial<SubresourceView>;
  },
): Subresource {
  const { scales, strategy, settings, shared, added } = of;
  const declared = declaredValidation({ hub: version, others: [] }, settings);
  // Source: pkg/apis/autoscaling/validation/validation.go, `ValidateScale`.
  const metadata = {
    scope: "Namespaced",
    nameErrors: NAME_RULES.subdomain,
    standardFinalizers: standardFinalizers(settings.vocabulary),
  } as const;
  return {
    verbs: ["get", "update", "patch"],
    prepareForUpdate: (object, old, request) => strategy.prepareForUpdate?.(object, old, request),
    validateUpdate: (object, old, through) => [
      ...(strategy.validate?.(object, through, old) ?? []),
      ...(strategy.validateUpdate?.(object, old, through) ?? []),
    ],
    view: {
      version,
      shared,
      ...added,
      read: (parent) => scaleOfParent(version, parent, scales),
      write(parent, scale) {
        objectAt(parent, "spec")["replicas"] = fieldAt(scale, REPLICAS) ?? 0;
      },
      validate: (scale) => [...metadataErrors(scale, metadata), ...declared(scale, undefined, version)],
    },
  };
}

const REPLICAS = ["spec", "replicas"];

/**
 * Returns the field that a scale shows. Only versions of the hub's group count: the entries of extensions/v1beta1 are
 * dropped. Source: pkg/registry/apps/deployment/storage/storage.go, `replicasPathInDeployment`.
 */
function replicasField(parents: readonly GroupVersion[]): ViewedField {
  const [hub] = parents;
  const known = new Set(parents.filter(({ group }) => group === hub?.group).map(apiVersionText));
  return { path: REPLICAS, pathIn: (apiVersion) => (known.has(apiVersion) ? REPLICAS : "unknown") };
}

function scaleOfParent({ type, kind, apiVersion }: ServedVersion, parent: JsonObject, scales: ScaleRules["scales"]) {
  const { name = "", namespace = "", uid = "", resourceVersion = "", creationTimestamp = null } = metaOf(parent);
  const selector = fieldAt(parent, ["spec", "selector"]);
  const selects =
    apiVersion === `${SCALE.group}/${SCALE.version}`
      ? { selector: selectorText(selector, scales) }
      : formerSelector(selector, scales);
  return type.decode({
    kind,
    apiVersion,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: fieldAt(parent, REPLICAS) ?? 0 },
    status: { replicas: fieldAt(parent, ["status", "replicas"]) ?? 0, ...selects },
  }).value;
}

/** Returns the selector as text, and also as a map when it consists of labels only. */
function formerSelector(selector: JsonValue | undefined, form: ScaleRules["scales"]): JsonObject {
  const targetSelector = selectorText(selector, form);
  if (form === "labels") return { targetSelector, selector: selector ?? {} };
  const { matchLabels = {}, matchExpressions } = isObject(selector) ? selector : {};
  const plain = !Array.isArray(matchExpressions) || matchExpressions.length === 0;
  return { targetSelector, ...(plain ? { selector: matchLabels } : {}) };
}

/** Returns the selector in the syntax of the labelSelector query parameter. */
function selectorText(selector: JsonValue | undefined, form: ScaleRules["scales"]): string {
  if (!isObject(selector)) return "";
  return labelSelectorText(labelSelectorOfObject(form === "labels" ? { matchLabels: selector } : selector));
}
