// Columns of admission policies and their bindings.

import { ageColumn, column, integerColumn, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { admissionregistrationV1 } from "@orch/schema";

type ValidatingPolicy = admissionregistrationV1.ValidatingAdmissionPolicy;
type MutatingPolicy = admissionregistrationV1.MutatingAdmissionPolicy;
type Binding = admissionregistrationV1.ValidatingAdmissionPolicyBinding;

const UNSET = "<unset>";

const paramKind = column<ValidatingPolicy>("ParamKind", "Of which kind the parameters are.", ({ spec }) => {
  const { apiVersion, kind } = spec?.paramKind ?? {};
  return kind ? `${apiVersion ?? ""}/${kind}` : UNSET;
});

export const validatingPolicyColumns: readonly TableColumn[] = [
  nameColumn,
  integerColumn<ValidatingPolicy>(
    "Validations",
    "How many expressions must hold.",
    ({ spec }) => spec?.validations?.length ?? 0,
  ),
  paramKind,
  ageColumn,
];

export const mutatingPolicyColumns: readonly TableColumn[] = [
  nameColumn,
  integerColumn<MutatingPolicy>("Mutations", "How many changes it makes.", ({ spec }) => spec?.mutations?.length ?? 0),
  paramKind,
  ageColumn,
];

export const policyBindingColumns: readonly TableColumn[] = [
  nameColumn,
  column<Binding>("PolicyName", "Which policy it puts in force.", ({ spec }) => spec?.policyName ?? ""),
  column<Binding>("ParamRef", "Kind of the policy's parameters.", ({ spec }) => {
    const { name, namespace, selector } = spec?.paramRef ?? {};
    if (!name) return selector ? "*" : UNSET;
    return namespace ? `${namespace}/${name}` : name;
  }),
  ageColumn,
];
