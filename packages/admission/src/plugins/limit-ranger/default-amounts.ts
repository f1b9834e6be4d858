// Gives the containers of a pod what they do not ask for themselves. Each range adds what those before it have left open.
import { type AdmissionRequest, writableMeta } from "@orch/machinery";
import { isObject, type JsonObject, setMember } from "@orch/schema";
import { type Amounts, containersIn } from "../../pods/pod-parts";
import { forbidden } from "../../refusal";
import type { LimitItem } from "./limit-items";

const LISTS = [
  ["containers", "container"],
  ["initContainers", "init container"],
] as const;

/** Every container gets every amount: of many of both, a small object would become one that holds up everybody. */
const ADDED_MAX = 2_500;
/** Of a pod that is large as it is: what all nodes have, asked for and at most. */
const ADDED_MAX_EACH = 4;

export class DefaultAmounts {
  private added = 0;
  private readonly addedMax: number;
  /** What the last range that gave anything gave to whom. */
  private told: string | undefined;

  constructor(
    private readonly request: AdmissionRequest,
    private readonly spec: JsonObject,
  ) {
    const count = LISTS.reduce((sum, [list]) => sum + containersIn(spec, list).length, 0);
    this.addedMax = Math.max(ADDED_MAX, ADDED_MAX_EACH * count);
  }

  /** @param items of one range; of two for containers, the later wins */
  take(items: readonly LimitItem[]): void {
    const ofContainers = items.filter(({ type }) => type === "Container");
    const limits = joined(ofContainers.map((item) => item.default));
    const requests = joined(ofContainers.map((item) => item.defaultRequest));
    const entries: string[] = [];
    for (const [list, called] of LISTS) {
      for (const container of containersIn(this.spec, list)) {
        const to = `${called} ${container["name"] ?? ""}`;
        this.fill(container, "requests", requests, ` request for ${to}`, entries);
        this.fill(container, "limits", limits, ` limit for ${to}`, entries);
      }
    }
    if (entries.length > 0) this.told = entries.join("; ");
  }

  writeDown(pod: JsonObject, annotation: string): void {
    if (this.told === undefined) return;
    const metadata = writableMeta(pod);
    const { annotations } = metadata;
    const known = isObject(annotations) ? annotations : {};
    metadata["annotations"] = { ...known, [annotation]: `LimitRanger plugin set: ${this.told}` };
  }

  private fill(
    container: JsonObject,
    list: "requests" | "limits",
    amounts: Amounts,
    called: string,
    entries: string[],
  ): void {
    const resources = isObject(container["resources"]) ? container["resources"] : undefined;
    const own = isObject(resources?.[list]) ? resources[list] : undefined;
    const names: string[] = [];
    for (const name in amounts) if (own === undefined || !Object.hasOwn(own, name)) names.push(name);
    if (names.length === 0) return;
    this.added += names.length;
    if (this.added > this.addedMax) {
      throw forbidden(this.request, `limit ranges set more than ${this.addedMax} amounts of its containers`);
    }
    const filled = own ?? {};
    for (const name of names) setMember(filled, name, amounts[name] as string);
    const into = resources ?? {};
    into[list] = filled;
    container["resources"] = into;
    entries.push(names.sort().join(", ") + called);
  }
}

const joined = (lists: readonly Amounts[]): Amounts =>
  lists.length === 1 ? (lists[0] as Amounts) : Object.assign({}, ...lists);
