import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { Change } from "../changes/change";
import { EventRing, RING_BOUNDS } from "../changes/event-ring";
import { encodeStored, resourceForm } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import { randomNumbers } from "../testing/random";
import { widget, widgets } from "../testing/widgets";
import { OrderedTree } from "./ordered-tree";
import { Snapshots, TOKEN_LIFETIME_MS } from "./snapshots";

const form = resourceForm(widgets);

/** Returns a resource that changes at every second revision, with the record of all its states. */
function changing(countMax: number, { heldMaxBytes }: { readonly heldMaxBytes?: number } = {}) {
  const clock = new ManualClock();
  const snapshots = new Snapshots(clock, heldMaxBytes);
  const ring = new EventRing(0, { countMin: countMax, countMax, bytesMax: Number.POSITIVE_INFINITY });
  const random = randomNumbers(5);
  const states: string[][] = [[]];
  let tree = OrderedTree.empty<StoredEntry>();
  let since = 0;
  const shown = () => tree.slice().map(({ path, resourceVersion }) => `${path}@${resourceVersion}`);
  return {
    clock,
    snapshots,
    states,
    keep: () => snapshots.keep(tree, { since, until: Number.POSITIVE_INFINITY }),
    change() {
      const revision = since + 2;
      const path = `ns/${Math.floor(random() * 6)}`;
      const previous = tree.get(path);
      const isDeleted = previous !== undefined && random() < 0.4;
      const entry = isDeleted ? undefined : new StoredEntry(form, path, revision, encodeStored(form, widget("x")));
      states[revision - 1] = shown();
      snapshots.changed(revision, previous);
      tree = entry === undefined ? tree.delete(path) : tree.set(path, entry);
      ring.append(new Change(revision, entry, previous, clock.elapsed()));
      since = revision;
      states[revision] = shown();
    },
    at: (revision: number) =>
      snapshots
        .at(revision, { tree, since }, ring)
        ?.slice()
        .map(({ path, resourceVersion }) => `${path}@${resourceVersion}`),
  };
}

describe("past states", () => {
  test("are all there while the ring reaches back to them, in whatever order they are asked for", () => {
    const resource = changing(200);
    for (let n = 0; n < 100; n += 1) {
      if (n % 17 === 0) resource.keep();
      resource.change();
    }
    const random = randomNumbers(9);
    for (let n = 0; n < 400; n += 1) {
      const revision = Math.floor(random() * 201);
      expect([revision, resource.at(revision)]).toEqual([revision, resource.states[revision]]);
      if (n % 20 === 0) resource.change();
    }
  });

  test("that are kept outlive the ring, for the life of a token; others do not", () => {
    const resource = changing(4);
    for (let n = 0; n < 3; n += 1) resource.change();
    resource.keep();
    for (let n = 0; n < 10; n += 1) resource.change();
    expect(resource.at(6)).toEqual(resource.states[6]);
    expect(resource.at(7)).toEqual(resource.states[7]);
    expect(resource.at(5)).toBeUndefined();
    expect(resource.at(8)).toBeUndefined();
    resource.clock.advance(TOKEN_LIFETIME_MS);
    resource.change();
    expect(resource.at(6)).toBeUndefined();
  });

  test("are given up from the oldest on when they alone hold too much", () => {
    const resource = changing(4, { heldMaxBytes: 20 * 1300 });
    for (let n = 0; n < 20; n += 1) resource.change();
    const kept: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      kept.push(2 * (20 + n));
      resource.keep();
      resource.change();
    }
    expect(resource.at(kept[0] as number)).toBeUndefined();
    expect(resource.at(kept.at(-10) as number)).toEqual(resource.states[kept.at(-10) as number]);
  });

  test("that hold what one object was cost that much, however often it changes later", () => {
    const clock = new ManualClock();
    const snapshots = new Snapshots(clock, 5000);
    const ring = new EventRing(1000, RING_BOUNDS);
    const entryAt = (revision: number) => new StoredEntry(form, "ns/w", revision, encodeStored(form, widget("w")));
    let entry = entryAt(1);
    const state = OrderedTree.empty<StoredEntry>().set("ns/w", entry);
    snapshots.keep(state, { since: 1, until: Number.POSITIVE_INFINITY });
    for (let revision = 2; revision < 1000; revision += 1) {
      snapshots.changed(revision, entry);
      entry = entryAt(revision);
    }
    expect(snapshots.at(1, { tree: state.set("ns/w", entry), since: 999 }, ring)).toBe(state);
  });
});
