import {
  ageColumn,
  type BuiltInResource,
  type CellObject,
  changes,
  column,
  fields,
  immutable,
  nameColumn,
  nonNegative,
  required,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { appsV1 } from "@orch/schema";

/** Columns of controller revisions. Source: pkg/printers/internalversion/printers.go. */
const controllerRevisionColumns: readonly TableColumn[] = [
  nameColumn,
  column<appsV1.ControllerRevision>("Controller", "Whose revision it is.", controllerText),
  column<appsV1.ControllerRevision>("Revision", "Its number; the newest has the highest.", ({ revision }) => {
    return revision ?? 0;
  }),
  ageColumn,
];

/** Formats the controller, such as `statefulset.apps/web`. */
function controllerText({ metadata }: CellObject<appsV1.ControllerRevision>): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  if (owner === undefined) return "<none>";
  const [group = "", version] = (owner.apiVersion ?? "").split("/");
  const kind = version === undefined ? (owner.kind ?? "") : `${owner.kind}.${group}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}

/** Validation of controller revisions. Source: pkg/apis/apps/validation/validation.go. */
const validateControllerRevision = validator(
  fields<appsV1.ControllerRevision>({ data: required(undefined, "data is mandatory"), revision: nonNegative }),
);

const validateControllerRevisionUpdate = updateValidator<appsV1.ControllerRevision>(
  changes<appsV1.ControllerRevision>({ data: immutable }),
);

export const controllerRevisions = {
  group: "apps",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.9" },
    { version: "v1beta2", introduced: "1.8", deprecated: "1.9", removed: "1.16", replacement: "apps/v1" },
    { version: "v1beta1", introduced: "1.7", deprecated: "1.8", removed: "1.16", replacement: "apps/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    validate: validateControllerRevision,
    validateUpdate: validateControllerRevisionUpdate,
  },
  columns: controllerRevisionColumns,
} as const satisfies BuiltInResource;
