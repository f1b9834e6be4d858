// Names of a definition and of its kind. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import {
  all,
  each,
  fields,
  format,
  ifSet,
  label1035,
  oneOf,
  Place,
  type Rule,
  required,
  subdomain,
} from "@orch/apis-model";
import { label1035Errors } from "@orch/machinery";
import type { apiextensionsV1beta1 } from "@orch/schema";
import type { Definition } from "./definition-parts";

type Names = apiextensionsV1beta1.CustomResourceDefinitionNames;

const kindName = format((text: string) => label1035Errors(text.toLowerCase()));

/** Formats of the names that are set. A status may lack some of them. */
const formats = all<Names>(
  fields<Names>({
    plural: ifSet(label1035),
    singular: ifSet(label1035),
    kind: ifSet(kindName),
    shortNames: each(label1035),
    categories: each(label1035),
    listKind: ifSet(kindName),
  }),
  ({ kind, listKind }, at, report) => {
    if (kind !== "" && kind === listKind) {
      report.invalid(at.field("listKind"), listKind, "kind and listKind may not be the same");
    }
  },
);

const given = fields<Names>({ plural: required(), singular: required(), kind: required(), listKind: required() });

const group: Rule<string> = (text, at, report) => {
  subdomain(text, at, report);
  if (!text.includes(".")) report.invalid(at, text, "should be a domain with at least one dot");
};

export const definitionNames = fields<Definition>({
  spec: fields<apiextensionsV1beta1.CustomResourceDefinitionSpec>({
    group: required(group),
    scope: required(oneOf("Cluster", "Namespaced")),
    names: all<Names>(given, formats),
  }),
});

export const acceptedNames = fields<Definition>({
  status: fields<apiextensionsV1beta1.CustomResourceDefinitionStatus>({ acceptedNames: formats }),
});

/** Requires the name `<plural>.<group>`. */
export const definitionName: Rule<Definition> = ({ metadata, spec }, _at, report) => {
  const { name = "" } = metadata ?? {};
  // A missing name is reported with the rules of metadata.
  if (name === "" || name === `${spec.names.plural}.${spec.group}`) return;
  report.invalid(Place.ROOT.field("metadata").field("name"), name, 'must be spec.names.plural+"."+spec.group');
};
