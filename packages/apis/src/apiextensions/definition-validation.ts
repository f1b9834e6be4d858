// Validation of custom resource definitions, and when each rule applies. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import {
  all,
  changes,
  immutable,
  type Rule,
  type UpdateRule,
  unlessBrokenBefore,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { apiextensionsV1beta1 } from "@orch/schema";
import { definitionConversionRule, knownReviews } from "./definition-conversion-validation";
import { acceptedNames, definitionName, definitionNames } from "./definition-names-validation";
import type { Definition, Spec } from "./definition-parts";
import {
  everyVersionHasSchema,
  hasDefaults,
  isV1,
  knownTypes,
  listItems,
  prunes,
  prunesToDefault,
  schemaNodes,
  servedVersionsHaveSchema,
  structuralAnyway,
  structuralWhereNeeded,
} from "./definition-schemas-validation";
import { selectableFieldCount, selectableFields } from "./definition-selectable-fields";
import { definitionSubresources, rootsWithStatus } from "./definition-subresources-validation";
import {
  definitionColumns,
  definitionVersions,
  firstVersion,
  sharedParts,
  storedVersions,
} from "./definition-versions-validation";
import { approval, approvalChange } from "./protected-groups";

const always: Rule<Definition> = all(
  definitionNames,
  definitionVersions,
  definitionConversionRule,
  definitionColumns,
  selectableFields,
  definitionSubresources,
  prunesToDefault,
  servedVersionsHaveSchema,
  rootsWithStatus,
  structuralWhereNeeded,
  storedVersions,
  acceptedNames,
);

/** Rules that an update skips when the stored object violates them. */
const later: readonly Rule<Definition>[] = [knownReviews, listItems, selectableFieldCount];
/** Rules of v1 requests. An update skips those that the stored object violates. */
const sinceV1: readonly Rule<Definition>[] = [everyVersionHasSchema, prunes, knownTypes, structuralAnyway];

/** Rules of v1beta1 requests. They cannot be violated in v1. */
const beforeV1: Rule<Definition> = all(firstVersion, sharedParts);

export const validateNewDefinition = validator<Definition>((definition, at, report) => {
  definitionName(definition, at, report);
  always(definition, at, report);
  schemaNodes(isV1(report))(definition, at, report);
  for (const rule of later) rule(definition, at, report);
  for (const rule of isV1(report) ? [...sinceV1, approval] : [beforeV1]) rule(definition, at, report);
});

const stillLater = later.map(unlessBrokenBefore);
const stillSinceV1 = [...sinceV1.map(unlessBrokenBefore), approvalChange];

const identity = changes<Definition>({
  spec: changes<Spec>({
    group: immutable,
    names: changes<apiextensionsV1beta1.CustomResourceDefinitionNames>({ plural: immutable }),
  }),
});

/** Fields that are immutable once the definition is established. */
const knownIdentity = changes<Definition>({
  spec: changes<Spec>({
    scope: immutable,
    names: changes<apiextensionsV1beta1.CustomResourceDefinitionNames>({ kind: immutable }),
  }),
});

const isEstablished = ({ status }: Definition): boolean =>
  (status?.conditions ?? []).some(({ type, status: state }) => type === "Established" && state === "True");

const whileEstablished: UpdateRule<Definition> = (next, old, at, report) => {
  if (isEstablished(old)) knownIdentity(next, old, at, report);
};

export const validateDefinitionUpdate = updateValidator<Definition>((next, old, at, report) => {
  always(next, at, report);
  schemaNodes(isV1(report) || hasDefaults(old))(next, at, report);
  for (const rule of [identity, whileEstablished, ...stillLater]) rule(next, old, at, report);
  if (!isV1(report)) beforeV1(next, at, report);
  else for (const rule of stillSinceV1) rule(next, old, at, report);
});

export const validateDefinitionStatus = updateValidator<Definition>((next, _old, at, report) =>
  acceptedNames(next, at, report),
);
