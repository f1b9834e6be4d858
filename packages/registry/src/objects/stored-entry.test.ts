import { describe, expect, test } from "@jest/globals";
import { gadgets, widget, widgets } from "../testing/widgets";
import { encodeStored, normalizeStored, resourceForm, servedAdditions } from "./resource-form";
import { StoredEntry } from "./stored-entry";

const form = resourceForm(widgets);
const [v1, v1beta1, v2] = widgets.versions as [typeof widgets.storage, typeof widgets.storage, typeof widgets.storage];

function entry(labels?: Record<string, string>): StoredEntry {
  return new StoredEntry(form, "ns/a", 42, encodeStored(form, widget("a", labels === undefined ? {} : { labels })));
}

const parsed = (bytes: Buffer) => JSON.parse(bytes.toString());

describe("an entry", () => {
  test("shows its resource version first in its metadata, and the same bytes to everyone", () => {
    const one = entry();
    expect(one.json(v1).toString()).toBe(
      '{"kind":"Widget","apiVersion":"test.example/v1","metadata":{"resourceVersion":"42","name":"a"},"spec":{"color":"red"}}',
    );
    expect(one.json(v1)).toBe(one.json(v1));
  });

  test.each([
    ["of the same shape", v1beta1, { kind: "Widget", apiVersion: "test.example/v1beta1", spec: { color: "red" } }],
    ["of another shape", v2, { kind: "Widget", apiVersion: "test.example/v2", spec: { colour: "red" } }],
  ])("shows itself in a version %s, made once", (_shape, version, expected) => {
    const one = entry();
    expect(parsed(one.json(version))).toEqual({ ...expected, metadata: { resourceVersion: "42", name: "a" } });
    expect(one.json(version)).toBe(one.json(version));
  });

  test.each([v1, v1beta1, v2])("is a list item without kind and apiVersion in $apiVersion", (version) => {
    const one = entry();
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = parsed(one.json(version));
    expect(parsed(one.item(version))).toEqual(rest);
  });

  test("shows its metadata alone, before and after it has been shown as a whole", () => {
    const one = entry({ app: '{"]' });
    const metadata = { resourceVersion: "42", name: "a", labels: { app: '{"]' } };
    expect(parsed(one.metadataJson())).toEqual(metadata);
    one.json(v2);
    expect(parsed(one.metadataJson())).toEqual(metadata);
    expect(one.json(v1).includes(one.metadataJson())).toBe(true);
  });

  test.each([
    ["before it is served", false],
    ["after", true],
  ])(
    "has a store in this process hold the served bytes in the place of its own, where it hears of that store %s",
    (_when, isServed) => {
      const stored = encodeStored(form, widget("a"));
      const value = Buffer.from(stored);
      const held: string[] = [];
      const holder = {
        key: "/a",
        value: isServed ? value : stored,
        createRevision: 42,
        modRevision: 42,
        version: 1,
        lease: 0,
        heldIn(whole: Buffer, { at, length }: { readonly at: number; readonly length: number }) {
          expect(whole).toBe(one.json(v1));
          held.push(Buffer.concat([whole.subarray(0, at), whole.subarray(at + length)]).toString());
        },
      };
      const one = new StoredEntry(form, "ns/a", 42, stored);
      if (isServed) one.json(v1);
      one.heldBy(holder);
      one.json(v1);
      expect(held).toEqual([value.toString()]);
    },
  );

  test("is served from the bytes that a store has read together with what it shows of its revision", () => {
    const stored = encodeStored(form, widget("a"));
    const { at, text } = servedAdditions(stored, 42) as { at: number; text: string };
    const whole = Buffer.concat([stored.subarray(0, at), Buffer.from(text), stored.subarray(at)]);
    const item = { path: "ns/a", modRevision: 42, value: stored };
    const one = StoredEntry.held(form, item, { whole, at, length: text.length });
    expect(one?.json(v1)).toBe(whole);
    expect(one?.stored()).toEqual(stored);
    expect(whole).toEqual(entry().json(v1));
    expect(StoredEntry.held(form, { ...item, modRevision: 421 }, { whole, at, length: text.length })).toBeUndefined();
    expect(servedAdditions(Buffer.from('{"a":1}'), 42)).toBeUndefined();
  });

  test("leaves a store in this process what it holds in another form", () => {
    const held: Buffer[] = [];
    const one = entry();
    const other = { key: "/a", createRevision: 42, modRevision: 42, version: 1, lease: 0, value: Buffer.from([1, 2]) };
    one.heldBy({ ...other, heldIn: (whole) => held.push(whole) });
    one.json(v1);
    one.heldBy({ ...other, heldIn: (whole) => held.push(whole) });
    expect(held).toEqual([]);
  });

  test("keeps what is made of it, by who makes it", () => {
    const one = entry();
    const [mine, yours] = [{}, {}];
    let times = 0;
    const make = ({ name }: { readonly name: string }) => ({ name, times: ++times });
    const made = one.made(mine, make);
    expect(made).toEqual({ name: "a", times: 1 });
    expect(one.made(mine, make)).toBe(made);
    expect(one.made(yours, make)).toEqual({ name: "a", times: 2 });
    expect(one.json(v2)).toBe(one.json(v2));
  });

  test("knows its place, labels and selectable fields", () => {
    const one = entry({ app: "x" });
    expect([one.namespace, one.name]).toEqual(["ns", "a"]);
    expect(one.labels).toEqual({ app: "x" });
    one.json(v1);
    expect(one.metadata("name")).toBe("a");
    expect(one.field("spec.color")).toBe("red");
    expect(one.field("metadata.name")).toBe("a");
    expect(one.field("metadata.namespace")).toBe("ns");
    expect(one.field("spec.unheard")).toBe("");
    expect(entry().labels).toEqual({});
  });

  test("gives its stored bytes back, served or not, and compares with them", () => {
    const one = entry();
    const stored = Buffer.from(one.stored());
    expect(one.sameAs(stored)).toBe(true);
    one.json(v1);
    expect(one.stored().equals(stored)).toBe(true);
    expect(one.sameAs(stored)).toBe(true);
    const other = Buffer.from(stored.toString().replace("red", "sea"));
    expect(one.sameAs(other)).toBe(false);
    expect(one.sameAs(Buffer.from(stored.toString().replace('"a"', '"b"')))).toBe(false);
    expect(parsed(one.at(50).json(v1)).metadata).toEqual({ resourceVersion: "50", name: "a" });
  });

  test("is the same whatever the order of members", () => {
    const stored = (spec: object) => encodeStored(form, { ...widget("a"), spec: { ...spec } });
    const one = new StoredEntry(form, "ns/a", 42, stored({ color: "red", size: "12" }));
    expect(one.sameAs(stored({ size: "12", color: "red" }))).toBe(true);
    expect(one.sameAs(stored({ size: "21", color: "red" }))).toBe(false);
  });

  test("gives everyone an object of their own", () => {
    const one = entry();
    (one.object()["metadata"] as { name: string }).name = "changed";
    expect(one.object()).toMatchObject({ metadata: { name: "a", resourceVersion: "42" } });
  });

  test("without a revision shows none", () => {
    const dry = new StoredEntry(form, "ns/a", 0, encodeStored(form, widget("a")));
    expect(parsed(dry.json(v1)).metadata).toEqual({ name: "a" });
  });

  test("an entry of a cluster-scoped resource has no namespace, whatever its name", () => {
    const one = new StoredEntry(resourceForm(gadgets), "system:a/b", 1, Buffer.from("{}"));
    expect([one.namespace, one.name]).toEqual(["", "system:a/b"]);
  });

  test("with empty metadata is still JSON", () => {
    const one = new StoredEntry(form, "ns/a", 5, encodeStored(form, { metadata: {} }));
    expect(parsed(one.json(v1)).metadata).toEqual({ resourceVersion: "5" });
  });
});

describe("stored bytes", () => {
  test("stored bytes in the current form are used unchanged", () => {
    const stored = encodeStored(form, widget("a"));
    expect(normalizeStored(form, stored)).toBe(stored);
  });

  test("in another order or another stored version are brought into form", () => {
    const shuffled = Buffer.from(
      '{"spec":{"colour":"red"},"metadata":{"name":"a"},"apiVersion":"test.example/v2","kind":"Widget"}',
    );
    const defaulted = encodeStored(form, widget("a", { spec: { size: 1, color: "red" } }));
    expect(normalizeStored(form, shuffled).toString()).toBe(defaulted.toString());
  });

  test.each([
    ["lack what this release fills in are completed", { color: "red" }, { color: "red", size: 1 }],
    ["have it are taken as they are", { color: "red", size: 2 }, { color: "red", size: 2 }],
    ["lack it as others do too are taken as they are", { color: "blue" }, { color: "blue" }],
  ])("that %s", (_behaviour, before, after) => {
    const completing = resourceForm({
      ...widgets,
      completion: { members: [{ name: "size", of: '"color":"red"' }] },
    });
    const stored = encodeStored(completing, widget("a", { spec: before }));
    expect(JSON.parse(normalizeStored(completing, stored).toString()).spec).toEqual(after);
    expect(normalizeStored(completing, stored) === stored).toBe(
      before === after || "size" in before || before.color === "blue",
    );
  });

  test.each(["no json", "{}", '{"kind":"Widget","apiVersion":"other/v1","metadata":{"name":"a"}}'])(
    "%s is refused",
    (text) => expect(() => normalizeStored(form, Buffer.from(text))).toThrow(),
  );
});
