// One pass through every verb. Each verb has tests of its own.
import { expect, test } from "@jest/globals";
import { eventText, listing, readEvents, startRegistry, watching, writing } from "./testing/harness";
import { widget, widgets } from "./testing/widgets";

test("an object lives: created, read, listed, watched, changed, deleted", async () => {
  const { registry } = await startRegistry();
  const storage = registry.resource(widgets);
  const at = { namespace: "default", name: "a" };
  const created = await storage.create(widget("a"), { ...at, name: "" }, writing());
  const shown = JSON.parse(created.entry.json(widgets.storage).toString());
  expect(shown).toMatchObject({
    kind: "Widget",
    apiVersion: "test.example/v1",
    metadata: {
      name: "a",
      namespace: "default",
      generation: 1,
      resourceVersion: String(created.entry.resourceVersion),
    },
    spec: { color: "red", size: 1 },
  });
  const read = await storage.get(at, { kind: "mostRecent" });
  expect(read.json(widgets.storage).equals(created.entry.json(widgets.storage))).toBe(true);
  const watcher = await storage.watch(watching());
  const { metadata } = shown;
  const next = { ...widget("a", { spec: { color: "blue" } }), metadata };
  const updated = await storage.update(next, at, writing());
  expect(updated.entry.object()).toMatchObject({ metadata: { generation: 2 }, spec: { color: "blue" } });
  const { entries, resourceVersion } = await storage.list(listing());
  expect(entries.map(({ name }) => name)).toEqual(["a"]);
  expect(resourceVersion).toBe(updated.entry.resourceVersion);
  const removed = await storage.delete(at, {}, writing());
  expect(removed.removed).toBe(true);
  await expect(storage.get(at, { kind: "mostRecent" })).rejects.toMatchObject({ reason: "NotFound" });
  const events = await readEvents(watcher, 3);
  expect(events.map((event) => eventText(event))).toEqual([
    `ADDED a@${created.entry.resourceVersion}`,
    `MODIFIED a@${updated.entry.resourceVersion}`,
    `DELETED a@${removed.entry.resourceVersion}`,
  ]);
  await registry.close();
});
