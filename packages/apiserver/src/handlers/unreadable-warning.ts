// Warns the client of a list about objects that are missing because they cannot be read.
import { resourceText } from "@orch/machinery";
import type { ResourceRequest } from "./handler";

/** Must be called before the answer begins. */
export function warnOfUnreadable({ request, info }: ResourceRequest): void {
  const { route, key } = info;
  const { count, paths } = route.storage.unreadable(key.namespace);
  if (count === 0) return;
  const { group, plural } = route.definition;
  const names = count > paths.length ? [...paths, "…"] : paths;
  const what = `${count} of ${resourceText({ group, resource: plural })} cannot be read and ${count === 1 ? "is" : "are"} missing in this answer`;
  request.context.warn(`${what}: ${names.join(", ")}`);
}
