// Existing pods that violate a stricter level of their namespace. They stay; the response carries warnings, as far as
// the time budget allows. Source: KEP-2579, "Pod Security Admission Control", namespace policy update warnings.
import { type AdmissionRequest, isReason } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";
import type { ObjectHead } from "../../contract/dependencies";
import { checkedPod } from "./controls/checked-pod";
import { reasonsText } from "./evaluation";
import { type LevelVersion, levelVersionText } from "./level-version";
import type { PodSecurityContext } from "./pod-security-context";

const PODS = { group: "", resource: "pods" } as const;
const PODS_MAX = 3000;
const BUDGET_MAX_MS = 1000;
/** Maximum number of reasons in warnings. Combinations of controls give many reasons. */
const REASONS_TOLD_MAX = 100;

/** Returns the warnings, the most general first. */
export async function existingPodWarnings(
  context: PodSecurityContext,
  request: AdmissionRequest,
  enforce: LevelVersion,
): Promise<readonly string[]> {
  const namespace = request.name;
  const endsAt = context.clock.elapsed() + budgetMs(request);
  let pods: readonly ObjectHead[];
  try {
    pods = await inOrderOfUse(context.objects.heads(PODS, namespace));
  } catch {
    return ["failed to list pods while checking new PodSecurity enforce level"];
  }
  const found = new Map<string, Violators>();
  let checked = 0;
  for (const pod of pods.slice(0, PODS_MAX)) {
    if (request.signal.aborted) return [];
    const reasons = await reasonsOf(context, pod, enforce);
    if (reasons === undefined) continue;
    if (reasons !== "") note(found, reasons, pod.name);
    checked += 1;
    if (context.clock.elapsed() >= endsAt) break;
  }
  const level = levelVersionText(enforce);
  const warnings: string[] = [];
  if (checked < pods.length) {
    const of = `the first ${checked} of ${pods.length} existing pods`;
    warnings.push(`new PodSecurity enforce level only checked against ${of}`);
  }
  if (found.size === 0) return warnings;
  const where = `existing pods in namespace ${JSON.stringify(namespace)}`;
  warnings.push(`${where} violate the new PodSecurity enforce level ${JSON.stringify(level)}`);
  return [
    ...warnings,
    ...[...found]
      .map(([reasons, pods]) => violatorsText(pods, reasons))
      .sort()
      .slice(0, REASONS_TOLD_MAX),
  ];
}

/** Returns the time budget. Half of the request's remaining time is left for the rest of the request. */
function budgetMs({ signal: { endsAtMs = Number.POSITIVE_INFINITY } }: AdmissionRequest): number {
  return Math.min(BUDGET_MAX_MS, (endsAtMs - performance.now()) / 2);
}

/** Orders pods: one pod per controller first, then the others. */
async function inOrderOfUse(heads: AsyncIterable<ObjectHead>): Promise<readonly ObjectHead[]> {
  const [first, more]: [ObjectHead[], ObjectHead[]] = [[], []];
  const controllers = new Set<string>();
  for await (const head of heads) {
    const uid = head.owners.find(({ controller }) => controller === true)?.uid;
    if (uid !== undefined && controllers.has(uid)) more.push(head);
    else first.push(head);
    if (uid !== undefined) controllers.add(uid);
  }
  return [...first, ...more];
}

/** Returns the violations of a pod. @returns "" for a pod that complies; undefined when it would take long to read */
async function reasonsOf(
  context: PodSecurityContext,
  at: ObjectHead,
  enforce: LevelVersion,
): Promise<string | undefined> {
  let found: JsonObject | undefined;
  try {
    found = await context.objects.once(PODS, at);
  } catch (error) {
    if (isReason(error, "RequestEntityTooLarge")) return undefined;
    throw error;
  }
  const { metadata, spec } = (found ?? {}) as coreV1.Pod;
  if (spec === undefined) return "";
  if (context.configuration.exemptions.runtimeClasses.has(spec.runtimeClassName ?? "")) return "";
  const pod = checkedPod({ annotations: metadata?.annotations, spec }, context.vocabulary.annotations);
  return reasonsText(await context.evaluation.violations(enforce, pod));
}

interface Violators {
  /** Alphabetically first name. */
  name: string;
  count: number;
}

function note(found: Map<string, Violators>, reasons: string, name: string): void {
  const known = found.get(reasons);
  if (known === undefined) {
    found.set(reasons, { name, count: 1 });
    return;
  }
  known.count += 1;
  if (name < known.name) known.name = name;
}

function violatorsText({ name, count }: Violators, reasons: string): string {
  const others = count === 1 ? "" : ` (and ${count - 1} other ${count === 2 ? "pod" : "pods"})`;
  return `${name}${others}: ${reasons}`;
}
