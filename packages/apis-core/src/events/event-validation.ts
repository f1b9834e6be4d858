// Validation of events, which depends on the version of the request. Paths use the stored field names. Source:
// pkg/apis/core/validation/events.go.

import {
  immutable,
  isExact,
  type Place,
  type Report,
  type Rule,
  unchanged,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { qualifiedNameErrors, subdomainErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { DEFAULT_NAMESPACE } from "../cluster/namespaces";

const NAME_MAX = 128;
const MESSAGE_MAX = 1024;

/** Validates an event. Events without `eventTime` come from older clients and need not name a reporter. */
export const eventErrors = validator<coreV1.Event>((event, at, report) => {
  const { namespace = "" } = event.metadata;
  const involved = event.involvedObject.namespace ?? "";
  const place = at.field("involvedObject").field("namespace");
  if (hasTime(event)) {
    // Releases before 1.21 accepted only the system namespace, to which Kubernetes event recorders do not write:
    // kubernetes/kubernetes#100125.
    if (involved === "" && namespace !== DEFAULT_NAMESPACE && namespace !== report.vocabulary.namespaces.system) {
      report.invalid(place, involved, MISMATCH);
    }
    reporter(event, at, report);
  } else if (involved === "" ? namespace !== "" && namespace !== DEFAULT_NAMESPACE : involved !== namespace) {
    report.invalid(place, involved, MISMATCH);
  }
  if (namespace !== "") report.misformed(at.field("namespace"), namespace, subdomainErrors(namespace));
});

const MISMATCH = "does not match event.namespace";

const hasTime = ({ eventTime }: coreV1.Event): boolean => eventTime !== undefined && eventTime !== null;

function reporter(event: coreV1.Event, at: Place, report: Report): void {
  const { reportingComponent: controller, message = "" } = event;
  // Exact errors have the name of the field in the version of the request.
  const isCore = isExact(report) && report.version.group !== report.vocabulary.groups.events;
  const place = at.field(isCore ? "reportingComponent" : "reportingController");
  if (!controller) report.required(place);
  if (!controller && isExact(report)) report.misformed(place, "", qualifiedNameErrors(""));
  else if (controller) report.misformed(place, controller, qualifiedNameErrors(controller));
  for (const name of ["reportingInstance", "action", "reason"] as const) {
    const value = event[name] ?? "";
    if (value === "") report.required(at.field(name));
    else atMost(NAME_MAX, value, at.field(name), report);
  }
  atMost(MESSAGE_MAX, message, at.field("message"), report);
}

function atMost(max: number, text: string, at: Place, report: Report): void {
  if (text.length > max) report.invalid(at, text, `can have at most ${max} characters`);
}

/** Returns whether the request uses events/v1, the only strict version. */
const isStrict = ({ vocabulary, version }: Report): boolean =>
  version.group === vocabulary.groups.events && version.version === "v1";

const series: Rule<coreV1.Event> = ({ series }, at, report) => {
  if (series === undefined) return;
  const place = at.field("series");
  if ((series.count ?? 0) < 2) report.invalid(place.field("count"), series.count ?? 0, "should be at least 2");
  if (!series.lastObservedTime) report.required(place.field("lastObservedTime"));
};

export const newEventErrors = validator<coreV1.Event>((event, at, report) => {
  if (!isStrict(report)) return;
  const { name = "" } = event.metadata;
  report.misformed(at.field("metadata").field("name"), name, subdomainErrors(name));
  series(event, at, report);
  if (!hasTime(event)) report.required(at.field("eventTime"));
  if (event.type !== "Normal" && event.type !== "Warning") {
    report.invalid(at.field("type"), event.type ?? "", "has invalid value");
  }
  for (const field of ["firstTimestamp", "lastTimestamp"] as const) {
    if (event[field]) report.invalid(at.field(field), event[field], UNSET);
  }
  if ((event.count ?? 0) !== 0) report.invalid(at.field("count"), event.count, UNSET);
  const { component = "", host = "" } = event.source ?? {};
  if (component !== "" || host !== "") report.invalid(at.field("source"), event.source, UNSET);
});

const UNSET = "needs to be unset";

const FIXED = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingInstance",
] as const;

export const eventUpdateErrors = updateValidator<coreV1.Event>((next, old, at, report) => {
  if (!isStrict(report)) return;
  if (!unchanged(next.series, old.series)) series(next, at, report);
  for (const field of FIXED) immutable(next[field], old[field], at.field(field), report);
  immutable(next.reportingComponent, old.reportingComponent, at.field("reportingController"), report);
});
