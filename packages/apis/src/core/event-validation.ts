// Events are told apart by their time: those that say when they happened and who reports keep to more rules than those that only
// count. Errors name fields as both groups once did together. Source: facts, validation/events.md.
import type { coreV1 } from "@orch/schema";
import { DEFAULT_NAMESPACE } from "../system-namespaces";
import { qualifiedName, subdomain } from "../validation/format-rules";
import type { Place } from "../validation/place";
import type { Report } from "../validation/report";
import { all, fields, type Rule, validator } from "../validation/rule";
import { type UpdateRule, unchanged, updateValidator } from "../validation/update-rule";

const SHORT_TEXT_MAX = 128;
const MESSAGE_MAX = 1024;

const placeOfObject: Rule<coreV1.Event> = ({ metadata, involvedObject, eventTime }, at, report) => {
  const { namespace = "" } = metadata;
  const { namespace: about = "" } = involvedObject;
  if (isInPlace(namespace, about, eventTime != null, report)) return;
  report.invalid(at.field("involvedObject").field("namespace"), about, "does not match event.namespace");
};

/** What lies in no namespace has its events in one that is there for that. @param about where the object lies */
function isInPlace(namespace: string, about: string, isTimed: boolean, { vocabulary }: Report): boolean {
  if (about !== "") return isTimed || about === namespace;
  return isTimed ? namespace === vocabulary.namespaces.system : namespace === "" || namespace === DEFAULT_NAMESPACE;
}

const reporter: Rule<coreV1.Event> = (event, at, report) => {
  if (event.eventTime == null) return;
  const { reportingComponent = "", reportingInstance = "", action = "", reason = "", message = "" } = event;
  const controller = at.field("reportingController");
  if (reportingComponent === "") report.required(controller);
  else qualifiedName(reportingComponent, controller, report);
  for (const [name, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === "") report.required(at.field(name));
    atMost(SHORT_TEXT_MAX, text, at.field(name), report);
  }
  atMost(MESSAGE_MAX, message, at.field("message"), report);
};

function atMost(max: number, text: string, at: Place, report: Report): void {
  if (text.length > max) report.invalid(at, text, `can have at most ${max} characters`);
}

export const validateEvent = validator(all<coreV1.Event>(placeOfObject, reporter));

/** Only the events group's own version checks that what it says anew is said, and that what it has replaced is not. */
const isOfEventsV1 = ({ version, vocabulary }: Report): boolean =>
  version.group === vocabulary.groups.events && version.version === "v1";

const series: Rule<coreV1.EventSeries> = ({ count = 0, lastObservedTime }, at, report) => {
  if (count < 2) report.invalid(at.field("count"), count, "should be at least 2");
  if (lastObservedTime == null) report.required(at.field("lastObservedTime"));
};

const unset: Rule<unknown> = (value, at, report) => report.invalid(at, value, "needs to be unset");

const ofEventsV1: Rule<coreV1.Event> = all(
  ({ metadata, eventTime, type = "", source = {} }, at, report) => {
    if (metadata.name) subdomain(metadata.name, at.field("metadata").field("name"), report);
    if (eventTime == null) report.required(at.field("eventTime"));
    if (type !== "Normal" && type !== "Warning")
      report.invalid(at.field("type"), type, "has invalid value: Normal or Warning");
    if (Object.keys(source).length > 0) unset(source, at.field("source"), report);
  },
  fields<coreV1.Event>({ series, firstTimestamp: unset, lastTimestamp: unset, count: unset }),
);

export const validateNewEvent = validator<coreV1.Event>((event, at, report) => {
  if (isOfEventsV1(report)) ofEventsV1(event, at, report);
});

/** By the names of the core group; in errors by the older ones. */
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
  "reportingComponent",
  "reportingInstance",
] as const satisfies readonly (keyof coreV1.Event)[];

const change: UpdateRule<coreV1.Event> = (next, old, at, report) => {
  if (next.series !== undefined && !unchanged(next.series, old.series)) series(next.series, at.field("series"), report);
  for (const name of FIXED) {
    if (unchanged(next[name], old[name])) continue;
    report.immutable(at.field(name === "reportingComponent" ? "reportingController" : name), next[name]);
  }
};

/** Of an event in that version nothing changes but how often it was seen. */
export const validateEventUpdate = updateValidator<coreV1.Event>((next, old, at, report) => {
  if (isOfEventsV1(report)) change(next, old, at, report);
});
