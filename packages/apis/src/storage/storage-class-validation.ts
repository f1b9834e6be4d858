// Validation of storage classes. Source: pkg/apis/storage/validation/validation.go.

import {
  all,
  changes,
  each,
  exactly,
  fields,
  format,
  ifSet,
  isExact,
  oneOf,
  onlyExactly,
  present,
  qualifiedName,
  type Rule,
  required,
  sameValue,
  textOf,
  type UpdateRule,
  unchanged,
  unique,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { qualifiedNameErrors } from "@orch/machinery";
import type { coreV1, storageV1 } from "@orch/schema";

const PARAMETERS_MAX = 512;
const PARAMETERS_MAX_BYTES = 262144;

export const parameters: Rule<Readonly<Record<string, string>>> = (value, at, report) => {
  const entries = Object.entries(value);
  if (entries.length > PARAMETERS_MAX) report.tooLong(at, PARAMETERS_MAX);
  let bytes = 0;
  for (const [key, text] of entries) {
    if (key === "") report.invalid(at, key, "the name of a parameter must not be empty");
    bytes += Buffer.byteLength(key) + Buffer.byteLength(text);
  }
  if (bytes > PARAMETERS_MAX_BYTES) report.tooLong(at, PARAMETERS_MAX_BYTES);
};

const topologyTerm: Rule<coreV1.TopologySelectorTerm> = fields<coreV1.TopologySelectorTerm>({
  matchLabelExpressions: all(
    each(
      fields<coreV1.TopologySelectorLabelRequirement>({
        key: textOf(qualifiedName),
        values: required(unique((value) => value)),
      }),
    ),
    unique(({ key }) => key, { field: "key" }),
  ),
});

/** Returns a text that is equal for equal terms. The order of requirements and of their values does not matter. */
const termText = ({ matchLabelExpressions: requirements }: coreV1.TopologySelectorTerm): string =>
  JSON.stringify((requirements ?? []).map(({ key, values }) => [key, ...[...(values ?? [])].sort()]).sort());

/** Name of a provisioner or driver, in any case. */
export const provisioner = format((text: string) => qualifiedNameErrors(text.toLowerCase()));

/** Rejects a term that says the same as an earlier one. An empty term counts as one that occurred before. */
const distinctTerms: Rule<readonly coreV1.TopologySelectorTerm[]> = (terms, at, report) => {
  const seen = new Set<string>([termText({})]);
  for (const [position, term] of terms.entries()) {
    const text = termText(term);
    if (seen.has(text)) report.duplicate(at.item(position).field("matchLabelExpressions"), "");
    seen.add(text);
  }
};

const allowedTopologies = all(each(topologyTerm), exactly(distinctTerms, unique(termText, { shows: () => "" })));

const newClass = fields<storageV1.StorageClass>({
  provisioner: required(provisioner),
  parameters,
  reclaimPolicy: ifSet(oneOf("Delete", "Retain")),
  volumeBindingMode: present(oneOf("Immediate", "WaitForFirstConsumer")),
  allowedTopologies,
});

/** Validates a new class. Before 1.36, updates do not check the size of parameters again. */
export const validateNewStorageClass = validator(newClass);

export const fixed =
  (field: string): UpdateRule<unknown> =>
  (next, old, at, report) => {
    if (!unchanged(next, old)) report.forbidden(at, `updates to ${field} are forbidden.`);
  };

export const fixedParameters: UpdateRule<Readonly<Record<string, string>> | null | undefined> = (
  next,
  old,
  at,
  report,
) => {
  if (!sameValue(next ?? {}, old ?? {})) report.forbidden(at, "updates to parameters are forbidden.");
};

/** Limits a rule to releases before 1.36. Newer ones declare the fields immutable in proto/. */
const before136 =
  <T>(rule: UpdateRule<T>): UpdateRule<T> =>
  (next, old, at, report) => {
    if (!report.features.since("1.36")) rule(next, old, at, report);
  };

const validateWhole: Rule<storageV1.StorageClass> = onlyExactly(newClass);

export const validateStorageClassUpdate = updateValidator<storageV1.StorageClass>((next, old, at, report) => {
  validateWhole(next, at, report);
  changed(next, old, at, report);
});

const changed = changes<storageV1.StorageClass>({
  parameters: before136(fixedParameters),
  provisioner: before136(fixed("provisioner")),
  reclaimPolicy: before136(fixed("reclaimPolicy")),
  allowedTopologies: (next, _old, at, report) => {
    if (report.features.since("1.27") && !isExact(report)) allowedTopologies(next ?? [], at, report);
  },
});
