import { describe, expect, test } from "@jest/globals";
import { encodeStored, resourceForm } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import { widget, widgets } from "../testing/widgets";
import { BookmarkEvent, ErrorEvent, jsonFrame, ObjectEvent } from "./watch-event";

const form = resourceForm(widgets);
const [v1, , v2] = widgets.versions as [typeof widgets.storage, typeof widgets.storage, typeof widgets.storage];
const entry = new StoredEntry(form, "ns/a", 7, encodeStored(form, widget("a")));

describe.each([
  ["an object", () => new ObjectEvent("ADDED", entry)],
  ["a bookmark", () => new BookmarkEvent(7, "mark")],
])("the event of %s", (_what, make) => {
  test("is made once for each version and form, in whatever order they are asked for", () => {
    const event = make();
    const [mine, yours] = [{}, {}];
    const frames = [
      event.madeFrame(mine, () => Buffer.from("mine")),
      event.frame(v1),
      event.madeFrame(yours, () => Buffer.from("yours")),
      event.frame(v2),
    ];
    expect(frames.map(String)).toEqual([
      "mine",
      expect.stringMatching(/^{"type":.*v1".*}\n$/),
      "yours",
      expect.stringMatching(/v2"/),
    ]);
    const never = () => Buffer.from("again");
    const again = [event.madeFrame(mine, never), event.frame(v1), event.madeFrame(yours, never), event.frame(v2)];
    for (const [at, frame] of again.entries()) expect(frame).toBe(frames[at]);
  });
});

test("frames of an event that is not recent any more are made anew", () => {
  const event = new ObjectEvent("DELETED", entry);
  const key = {};
  event.madeFrame(key, () => Buffer.from("first"));
  event.frame(v1);
  event.releaseFrame();
  expect(event.madeFrame(key, () => Buffer.from("second")).toString()).toBe("second");
  expect(event.frame(v1).toString()).toContain('"DELETED"');
});

test("a failure is the same in every version", () => {
  const event = new ErrorEvent(7, { kind: "Status", code: 410 });
  expect(event.frame(v1).equals(event.frame(v2))).toBe(true);
  expect(event.frame(v1)).toEqual(jsonFrame("ERROR", Buffer.from('{"kind":"Status","code":410}')));
});
