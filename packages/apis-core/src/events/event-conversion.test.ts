import { expect, test } from "@jest/globals";
import { selectableText } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { eventConversion } from "./event-conversion";
import { events } from "./events";

const vocabulary = vocabularyOf("orch");

const stored = () => ({
  metadata: { name: "it.1", namespace: "default" },
  involvedObject: { kind: "Pod", name: "web" },
  related: { kind: "Node", name: "n1" },
  reason: "Started",
  message: "Started it",
  source: { component: "agent", host: "n1" },
  firstTimestamp: "2024-01-01T00:00:00Z",
  lastTimestamp: "2024-01-01T00:01:00Z",
  count: 2,
  type: "Normal",
  eventTime: "2024-01-01T00:00:00.000001Z",
  series: { count: 2, lastObservedTime: "2024-01-01T00:01:00.000000Z" },
  action: "Start",
  reportingComponent: "agent",
  reportingInstance: "agent-n1",
});

test("the events group shows a core event under its own names", () => {
  expect(eventConversion.fromHub(stored(), vocabulary)).toEqual({
    metadata: { name: "it.1", namespace: "default" },
    regarding: { kind: "Pod", name: "web" },
    related: { kind: "Node", name: "n1" },
    reason: "Started",
    note: "Started it",
    deprecatedSource: { component: "agent", host: "n1" },
    deprecatedFirstTimestamp: "2024-01-01T00:00:00Z",
    deprecatedLastTimestamp: "2024-01-01T00:01:00Z",
    deprecatedCount: 2,
    type: "Normal",
    eventTime: "2024-01-01T00:00:00.000001Z",
    series: { count: 2, lastObservedTime: "2024-01-01T00:01:00.000000Z" },
    action: "Start",
    reportingController: "agent",
    reportingInstance: "agent-n1",
  });
});

test("an event that goes through the events group comes back whole", () => {
  expect(eventConversion.toHub(eventConversion.fromHub(stored(), vocabulary), vocabulary)).toEqual(stored());
});

test("an event is found by either group's field names, and by its reporter where it names no source", () => {
  const { selectableFields: fields } = events;
  expect(Object.entries(fields).map(([label, field]) => [label, selectableText(field, stored())])).toEqual(
    expect.arrayContaining([
      ["involvedObject.name", "web"],
      ["regarding.name", "web"],
      ["source", "agent"],
      ["reportingController", "agent"],
    ]),
  );
  expect(selectableText(fields.source, { reportingComponent: "scheduler" })).toBe("scheduler");
});
