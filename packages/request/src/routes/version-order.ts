// All discovery documents list versions in the same order: clients prefer the first one.
import { orderVersions } from "@orch/apis";
import type { Route } from "./resource-route";

/** @param served routes by version */
export function versionsInOrder(group: string, served: ReadonlyMap<string, readonly Route[]>): string[] {
  const isNew = (version: string) => served.get(version)?.every((route) => route.version.isNew === true) ?? false;
  return orderVersions(group, [...served.keys()], isNew);
}
