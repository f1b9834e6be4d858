import { describe, expect, test } from "@jest/globals";
import { encodeStored, resourceForm } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import { widget, widgets } from "../testing/widgets";
import { Change } from "./change";
import { EventRing } from "./event-ring";

const form = resourceForm(widgets);
const BOUNDS = { countMin: 4, countMax: 16, bytesMax: 1_000 };

function change(revision: number, at = 0, bytes = 1): Change {
  return new Change(revision, new StoredEntry(form, "ns/a", revision, Buffer.alloc(bytes)), undefined, at);
}

function filled(count: number, at: (n: number) => number = () => 0): EventRing {
  const ring = new EventRing(0, BOUNDS);
  for (let n = 1; n <= count; n += 1) ring.append(change(n * 10, at(n)));
  return ring;
}

const revisions = (ring: EventRing) =>
  Array.from({ length: ring.nextSequence - ring.firstSequence }, (_, n) => ring.at(ring.firstSequence + n)?.revision);

describe("a ring of changes", () => {
  test("grows while changes come fast, and forgets the oldest at its largest", () => {
    const ring = filled(20);
    expect(ring.capacity).toBe(16);
    expect(revisions(ring)).toEqual(Array.from({ length: 16 }, (_, n) => (n + 5) * 10));
    expect(ring.startRevision).toBe(40);
    expect(ring.at(ring.firstSequence - 1)).toBeUndefined();
    expect(ring.at(ring.nextSequence)).toBeUndefined();
  });

  test("shrinks again when changes have become rare", () => {
    const ring = filled(16);
    for (let n = 17; n < 60; n += 1) ring.append(change(n * 10, n * 60_000));
    expect(ring.capacity).toBe(4);
    expect(revisions(ring)).toEqual([560, 570, 580, 590]);
    expect(ring.startRevision).toBe(550);
  });

  test("tells each time that it takes on another size", () => {
    const told: string[] = [];
    const ring = new EventRing(0, BOUNDS, (change) => told.push(change));
    for (let n = 1; n <= 20; n += 1) ring.append(change(n * 10));
    expect(told).toEqual(["grown", "grown"]);
    for (let n = 21; n < 60; n += 1) ring.append(change(n * 10, n * 60_000));
    expect(told).toEqual(["grown", "grown", "shrunk", "shrunk"]);
  });

  test("forgets changes up to a revision, except for as many as a small ring holds", () => {
    const ring = filled(12);
    ring.forget(50);
    expect(revisions(ring)).toEqual([60, 70, 80, 90, 100, 110, 120]);
    expect({ start: ring.startRevision, capacity: ring.capacity }).toEqual({ start: 50, capacity: 7 });
    ring.forget(120);
    expect(revisions(ring)).toEqual([90, 100, 110, 120]);
    expect(ring.capacity).toBe(4);
    ring.append(change(130));
    expect(revisions(ring)).toEqual([90, 100, 110, 120, 130]);
  });

  test("is bounded by bytes, but always holds the newest", () => {
    const ring = filled(4);
    ring.append(change(50, 0, 850));
    expect(revisions(ring)).toEqual([10, 20, 30, 40, 50]);
    ring.append(change(60, 0, 900));
    expect(revisions(ring)).toEqual([60]);
    ring.append(change(70, 0, 5_000));
    expect(revisions(ring)).toEqual([70]);
    expect(ring.startRevision).toBe(60);
  });

  test("holds as many bytes after many changes that were served as after few", () => {
    const ring = new EventRing(0, { countMin: 1024, countMax: 1024, bytesMax: 20_000 });
    const held = () => {
      let bytes = 0;
      for (let at = ring.firstSequence; at < ring.nextSequence; at += 1) {
        const entry = ring.at(at)?.entry as StoredEntry;
        bytes += entry.json(widgets.storage).length;
      }
      return bytes;
    };
    const stored = encodeStored(form, widget("a"));
    const most: number[] = [];
    for (let n = 1; n <= 3_000; n += 1) {
      const entry = new StoredEntry(form, "ns/a", n + 1_000_000, stored);
      ring.append(new Change(n, entry, undefined, 0));
      // Serving the entry makes it hold more bytes than before.
      entry.json(widgets.storage);
      if (n % 1_000 === 0) most.push(held());
    }
    expect(most[0]).toBeLessThanOrEqual(20_000);
    expect(most[2]).toBe(most[0]);
  });

  test("finds the first change after a revision", () => {
    const ring = filled(6);
    const after = (revision: number) => ring.at(ring.sequenceAfter(revision))?.revision;
    expect([0, 10, 15, 59].map(after)).toEqual([10, 20, 20, 60]);
    expect(ring.sequenceAfter(60)).toBe(ring.nextSequence);
  });

  test("starts over without reusing sequence numbers", () => {
    const ring = filled(6);
    const next = ring.nextSequence;
    ring.restart(500);
    expect([ring.firstSequence, ring.nextSequence, ring.startRevision]).toEqual([next, next, 500]);
    ring.append(change(510));
    expect(revisions(ring)).toEqual([510]);
  });
});
