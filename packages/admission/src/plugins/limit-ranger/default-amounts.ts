// Sets the default requests and limits of a pod's containers.
import { type AdmissionRequest, writableMeta } from "@orch/machinery";
import { isObject, type JsonObject, setMember } from "@orch/schema";
import type { EventLoopYielder } from "../../contract/dependencies";
import { forbidden } from "../../contract/refusal";
import { containersIn } from "../../pods/pod-parts";
import type { CombinedRanges, SpecifiedAmounts } from "./combined-ranges";

const LISTS = [
  ["containers", "container"],
  ["initContainers", "init container"],
] as const;

/**
 * Maximum number of amounts added to a pod. Every container gets every amount, so a small object could become one that
 * blocks the event loop.
 */
const ADDED_MAX = 2_500;
/** Maximum per container in a pod with many containers: requests and limits of cpu and memory. */
const ADDED_MAX_EACH = 4;

/** Amounts added to one list of a container. */
interface Filled {
  readonly names: readonly string[];
  readonly called: string;
  readonly given: SpecifiedAmounts;
}

/** Adds the defaults. @throws StatusError Forbidden (403) when there would be too many */
export async function fillIn(
  request: AdmissionRequest,
  { pod, spec, annotation }: { readonly pod: JsonObject; readonly spec: JsonObject; readonly annotation: string },
  ranges: CombinedRanges,
  yielder: EventLoopYielder,
): Promise<void> {
  const count = LISTS.reduce((sum, [list]) => sum + containersIn(spec, list).length, 0);
  let left = Math.max(ADDED_MAX, ADDED_MAX_EACH * count);
  const most = left;
  const all: Filled[] = [];
  for (const [list, called] of LISTS) {
    for (const container of containersIn(spec, list)) {
      if (yielder.isOver) await yielder.next();
      for (const [kind, word] of [
        ["requests", "request"],
        ["limits", "limit"],
      ] as const) {
        const names = fill(container, kind, ranges[kind], left);
        left -= names.length;
        if (left < 0) throw forbidden(request, `limit ranges set more than ${most} values in its containers`);
        if (names.length === 0) continue;
        all.push({ names, called: ` ${word} for ${called} ${container["name"] ?? ""}`, given: ranges[kind] });
      }
    }
  }
  if (all.length > 0) writeDown(pod, annotation, all);
}

/** Adds missing amounts to one list. @returns their names; `allowed + 1` names when there are too many */
function fill(
  container: JsonObject,
  list: "requests" | "limits",
  given: SpecifiedAmounts,
  allowed: number,
): readonly string[] {
  const resources = isObject(container["resources"]) ? container["resources"] : undefined;
  const own = isObject(resources?.[list]) ? resources[list] : undefined;
  const names: string[] = [];
  for (const name of given.keys()) {
    if (own !== undefined && Object.hasOwn(own, name)) continue;
    names.push(name);
    if (names.length > allowed) return names;
  }
  if (names.length === 0) return names;
  const filled = own ?? {};
  for (const name of names) setMember(filled, name, given.get(name)?.text ?? "");
  const into = resources ?? {};
  into[list] = filled;
  container["resources"] = into;
  return names;
}

/** Adds the annotation that lists the amounts of the last range that added any. */
function writeDown(pod: JsonObject, annotation: string, all: readonly Filled[]): void {
  let last = 0;
  const rangeOf = (given: SpecifiedAmounts, name: string): number => given.get(name)?.range ?? 0;
  for (const { names, given } of all) for (const name of names) last = Math.max(last, rangeOf(given, name));
  const entries = all.flatMap(({ names, called, given }) => {
    const told = names.filter((name) => rangeOf(given, name) === last);
    return told.length === 0 ? [] : [told.sort().join(", ") + called];
  });
  const metadata = writableMeta(pod);
  const { annotations } = metadata;
  const known = isObject(annotations) ? annotations : {};
  metadata["annotations"] = { ...known, [annotation]: `LimitRanger plugin set: ${entries.join("; ")}` };
}
