// Conversion of events between the core group and the events group, which renames fields. Source:
// pkg/apis/events/v1beta1/conversion.go.

import type { Conversion } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";

const CORE_NAME = {
  regarding: "involvedObject",
  note: "message",
  reportingController: "reportingComponent",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
} as const satisfies Readonly<Record<string, string>>;

const EVENTS_NAME = Object.fromEntries(Object.entries(CORE_NAME).map(([name, coreName]) => [coreName, name]));

export const eventConversion: Conversion = {
  toHub: (event) => renamed(event, CORE_NAME),
  fromHub: (event) => renamed(event, EVENTS_NAME),
};

const renamed = (object: JsonObject, names: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [names[name] ?? name, value]));
