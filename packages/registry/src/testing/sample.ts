// Objects for tests of reading and watching.

import type { JsonObject } from "@orch/schema";
import type { ResourceStorage } from "../contract/resource-storage";
import { writing } from "./harness";
import { widget } from "./widgets";

const numbered = (n: number) => `w${String(n).padStart(4, "0")}`;

/**
 * Creates w0000, w0001, … one after the other: writes at once may take their revisions in any order. Every tenth has the
 * label `tenth: "yes"`.
 */
export async function createMany(storage: ResourceStorage, count: number, namespace = "default"): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => numbered(n));
  for (const [n, name] of names.entries()) {
    const object = widget(name, n % 10 === 0 ? { labels: { tenth: "yes" } } : {});
    await storage.create(object, { namespace, name: "" }, writing());
  }
  return names;
}

export async function createOne(
  storage: ResourceStorage,
  name: string,
  object: JsonObject = widget(name),
): Promise<number> {
  const { entry } = await storage.create(object, { namespace: "default", name: "" }, writing());
  return entry.resourceVersion;
}

export async function recolor(
  storage: ResourceStorage,
  name: string,
  color: string,
  more: object = {},
): Promise<number> {
  const object = { ...widget(name, { spec: { color } }), ...more };
  const { entry } = await storage.update(object, { namespace: "default", name }, writing());
  return entry.resourceVersion;
}

export async function removeOne(storage: ResourceStorage, name: string): Promise<number> {
  const { entry } = await storage.delete({ namespace: "default", name }, {}, writing());
  return entry.resourceVersion;
}
