import { type BuiltInResource, text } from "@orch/apis-model";
import { eventColumns } from "./event-columns";
import { eventConversion } from "./event-conversion";
import { eventErrors, eventUpdateErrors, newEventErrors } from "./event-validation";

const reportingComponent = text("reportingComponent");

/** Fields of an object reference that both groups offer as field selectors, under their own names. */
const OBJECT_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

const CORE_LABELS = [
  ...OBJECT_FIELDS.map((field) => `involvedObject.${field}`),
  "reason",
  "reportingComponent",
  "source",
  "type",
];

const EVENTS_LABELS = [...OBJECT_FIELDS.map((field) => `regarding.${field}`), "reason", "reportingController", "type"];

export const events = {
  group: "core",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  scope: "Namespaced",
  versions: [
    { version: "v1", fieldLabels: CORE_LABELS },
    {
      group: "events",
      version: "v1",
      introduced: "1.19",
      conversion: eventConversion,
      fieldLabels: EVENTS_LABELS,
    },
    {
      group: "events",
      version: "v1beta1",
      introduced: "1.8",
      deprecated: "1.22",
      removed: "1.25",
      replacement: "events/v1",
      conversion: eventConversion,
      fieldLabels: EVENTS_LABELS,
    },
  ],
  rules: {
    nameFormat: "pathSegment",
    createOnUpdate: true,
    deletion: { ignoresDependents: true },
    validate: eventErrors,
    validateCreate: newEventErrors,
    validateUpdate: eventUpdateErrors,
  },
  selectableFields: {
    ...Object.fromEntries(
      OBJECT_FIELDS.flatMap((field) => {
        const read = text(`involvedObject.${field}`);
        return [
          [`involvedObject.${field}`, read],
          [`regarding.${field}`, read],
        ];
      }),
    ),
    reason: text("reason"),
    reportingComponent,
    reportingController: reportingComponent,
    source: text("source.component", "reportingComponent"),
    type: text("type"),
  },
  indexedFields: ["involvedObject.name", "regarding.name"],
  expires: true,
  columns: eventColumns,
} as const satisfies BuiltInResource;
