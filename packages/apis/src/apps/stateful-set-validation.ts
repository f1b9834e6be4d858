// Validation of stateful sets. Releases before 1.34 check only parts of the pod template.
// Source: pkg/apis/apps/validation/validation.go.

import { endlessPods, podAnnotations } from "@orch/apis-core";
import {
  all,
  changes,
  type Features,
  fields,
  labels,
  nonNegative,
  nonNegativeOrPercent,
  notMoreThan100Percent,
  oneOf,
  type Rule,
  unchanged,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { annotationErrors, label1123Errors, subdomainErrors } from "@orch/machinery";
import type { appsV1, intstr } from "@orch/schema";
import {
  availableAreReady,
  checksTemplate,
  collisionCount,
  isNone,
  notMoreThan,
  requireSelector,
  selectsItsOwn,
} from "./replicated-pods";
import { changedTemplate, newTemplates } from "./stateful-set-template";

const podManagementPolicy: Rule<appsV1.StatefulSetSpec> = ({ podManagementPolicy: policy }, at, report) => {
  const place = at.field("podManagementPolicy");
  if (policy === undefined) report.required(place);
  else if (policy !== "OrderedReady" && policy !== "Parallel") {
    report.invalid(place, policy, "must be 'OrderedReady' or 'Parallel'");
  }
};

const maxUnavailable: Rule<intstr.IntOrString> = all<intstr.IntOrString>(
  nonNegativeOrPercent,
  (value, at, report) => {
    if (isNone(value)) report.invalid(at, value, "cannot be 0");
  },
  notMoreThan100Percent,
);

const retention = oneOf("Delete", "Retain");

/** Rules of fields that not every release has. */
const gatedFields: Rule<appsV1.StatefulSetSpec> = (spec, at, report) => {
  const { persistentVolumeClaimRetentionPolicy: policy, ordinals } = spec;
  if (policy !== undefined && report.features.isOn("StatefulSetAutoDeletePVC")) {
    const place = at.field("persistentVolumeClaimRetentionPolicy");
    retention(policy.whenDeleted ?? "", place.field("whenDeleted"), report);
    retention(policy.whenScaled ?? "", place.field("whenScaled"), report);
  }
  if (ordinals !== undefined && report.features.isOn("StatefulSetStartOrdinal")) {
    nonNegative(ordinals.start ?? 0, at.field("ordinals.start"), report);
  }
};

const updateStrategy: Rule<appsV1.StatefulSetSpec> = ({ updateStrategy: strategy = {} }, at, report) => {
  const place = at.field("updateStrategy");
  const { type, rollingUpdate } = strategy;
  if (type === undefined) report.required(place);
  else if (type === "OnDelete") {
    if (rollingUpdate !== undefined) {
      report.invalid(place.field("rollingUpdate"), rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type === "RollingUpdate") {
    nonNegative(rollingUpdate?.partition ?? 0, place.field("rollingUpdate").field("partition"), report);
    const { maxUnavailable: amount } = rollingUpdate ?? {};
    if (amount !== undefined && report.features.isOn("MaxUnavailableStatefulSet")) {
      maxUnavailable(amount, place.field("rollingUpdate").field("maxUnavailable"), report);
    }
  } else {
    report.invalid(place, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  }
};

const pods: Rule<appsV1.StatefulSetSpec> = (spec, at, report) => {
  requireSelector(spec, "statefulset", at, report);
  if (checksTemplate(spec, report)) selectsItsOwn(spec, at, report);
  const place = at.field("template");
  const { metadata = {} } = spec.template;
  if (metadata.labels !== undefined) labels(metadata.labels, place.field("labels"), report);
  if (metadata.annotations !== undefined) {
    report.found(annotationErrors(metadata.annotations, place.field("annotations").toString()));
    podAnnotations(spec.template, place, report);
  }
  endlessPods(spec.template, place, report);
};

export const validateStatefulSet = validator(
  fields<appsV1.StatefulSet>({
    spec: all<appsV1.StatefulSetSpec>(
      podManagementPolicy,
      updateStrategy,
      fields<appsV1.StatefulSetSpec>({
        replicas: nonNegative,
        minReadySeconds: (seconds, at, report) => {
          if (report.features.since("1.26")) nonNegative(seconds, at, report);
        },
      }),
      gatedFields,
      pods,
    ),
  }),
);

/** Rejects dots in the name since 1.27: pods have names that start with it, which are host names. */
const hostName: Rule<appsV1.StatefulSet> = ({ metadata }, at, report) => {
  const name = metadata?.name ?? "";
  if (!report.features.since("1.27") || subdomainErrors(name).length > 0) return;
  report.misformed(at.field("metadata").field("name"), name, label1123Errors(name));
};

export const validateNewStatefulSet = validator(
  all<appsV1.StatefulSet>(hostName, fields<appsV1.StatefulSet>({ spec: newTemplates })),
);

export const validateStatefulSetUpdate = updateValidator<appsV1.StatefulSet>((next, old, at, report) => {
  if (next.spec === undefined || old.spec === undefined) return;
  changedTemplate(next.spec, old.spec, at.field("spec"), report);
  const changeable = changeableFields(report.features);
  if (unchanged(without(next.spec, changeable), without(old.spec, changeable))) return;
  const names = changeable.map((name) => `'${name}'`);
  const listed = `${names.slice(0, -1).join(", ")}, and ${names.at(-1)}`;
  report.forbidden(at.field("spec"), `updates to statefulset spec for fields other than ${listed} are forbidden`);
});

/** Returns the fields that an update may change in the release. */
function changeableFields(features: Features): readonly (keyof appsV1.StatefulSetSpec)[] {
  return [
    "replicas",
    ...(features.isOn("StatefulSetStartOrdinal") ? (["ordinals"] as const) : []),
    "template",
    ...(features.isOn("StatefulSetAutoDeletePVC") ? (["persistentVolumeClaimRetentionPolicy"] as const) : []),
    ...(features.since("1.33") ? (["revisionHistoryLimit"] as const) : []),
    ...(features.since("1.27") ? (["minReadySeconds"] as const) : []),
    "updateStrategy",
  ];
}

const without = (spec: appsV1.StatefulSetSpec, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => !names.includes(name)));

const status = fields<appsV1.StatefulSet>({
  status: all<appsV1.StatefulSetStatus>(
    fields<appsV1.StatefulSetStatus>({
      replicas: nonNegative,
      readyReplicas: nonNegative,
      currentReplicas: nonNegative,
      updatedReplicas: nonNegative,
      availableReplicas: nonNegative,
      observedGeneration: nonNegative,
    }),
    notMoreThan<appsV1.StatefulSetStatus>("readyReplicas", "currentReplicas", "updatedReplicas"),
    (status, at, report) => {
      if (!report.features.since("1.26")) return;
      notMoreThan<appsV1.StatefulSetStatus>("availableReplicas")(status, at, report);
      availableAreReady(status, at, report);
    },
  ),
});

const statusChange = changes<appsV1.StatefulSet>({ status: changes<appsV1.StatefulSetStatus>({ collisionCount }) });

export const validateStatefulSetStatus = updateValidator<appsV1.StatefulSet>((next, old, at, report) => {
  status(next, at, report);
  statusChange(next, old, at, report);
});
