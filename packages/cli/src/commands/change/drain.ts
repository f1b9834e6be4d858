// `orch drain`: keeps new pods off a node, and evicts those that it has. Source: "Safely Drain a Node" in the Kubernetes
// documentation.
import { setTimeout as pause } from "node:timers/promises";
import { isCode, metaOf, nameOf, namespaceOf, parseGoDuration } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { throwAll } from "./in-order";
import { type DrainRules, drainVerdict } from "./node/drainable";
import { markNode, nodeWords } from "./node/schedulable";
import { addDryRun, addSwitch, type DryRun, type DryRunOption, type SelectorOptions } from "./options";
import { Outcomes } from "./outcome";
import { removed, WEEK_MS } from "./removal";
import { chosenTargets, clientOf, type Target } from "./targets";

interface Options extends SelectorOptions, DryRunOption, DrainRules {
  readonly dryRun: DryRun;
  readonly gracePeriod: string;
  readonly timeout: string;
  readonly disableEviction: boolean;
  readonly podSelector?: string;
}

/** Pause after a disruption budget has refused an eviction. */
const REFUSED_PAUSE_MS = 5000;

export function define(command: Command, session: Session): void {
  command.argument("[nodes...]", "names of nodes").option("-l, --selector <selector>", "only nodes whose labels match");
  addSwitch(command, "--ignore-daemonsets", "leave the pods of daemon sets");
  addSwitch(command, "--delete-emptydir-data", "also evict pods whose emptyDir volumes are lost");
  addSwitch(command, "--force", "also evict pods that no controller makes again");
  addSwitch(command, "--disable-eviction", "delete the pods, without regard to disruption budgets");
  command
    .option("--pod-selector <selector>", "only pods whose labels match")
    .option("--grace-period <seconds>", "time to stop; -1: that of the pod", "-1")
    .option("--timeout <duration>", "longest time; 0s: no limit", "0s");
  addDryRun(command);
  command.action(async (nodes: string[], options: Options) => {
    const { targets } = await chosenTargets(session, nodeWords(nodes, options), options);
    for (const target of targets) await drain(session, target, options);
  });
}

async function drain(session: Session, node: Target, options: Options): Promise<void> {
  const outcomes = new Outcomes(session, { dryRun: options.dryRun });
  const { verb } = await markNode(session, node, { unschedulable: true, dryRun: options.dryRun });
  outcomes.tell(node, verb);
  const { pods, refusals, warnings } = await podsOf(session, node, options);
  if (refusals.size > 0) {
    const texts = [...refusals].map(([reason, names]) => `${reason}: ${names.join(", ")}`);
    throw new CliError(`unable to drain node ${JSON.stringify(node.name)} due to error: ${texts.join(", ")}`);
  }
  for (const [text, names] of warnings) session.warn(`${text}: ${names.join(", ")}`);
  const timeoutMs = parseGoDuration(options.timeout);
  if (timeoutMs === undefined)
    throw new CliError(`--timeout: ${JSON.stringify(options.timeout)} is not a duration, such as 30s`);
  const endMs = session.io.now() + (timeoutMs === 0 ? WEEK_MS : timeoutMs);
  const results = await Promise.allSettled(pods.map((pod) => evicted(session, pod, { options, endMs, outcomes })));
  session.signal.throwIfAborted();
  throwAll(results.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : [])));
  outcomes.tell(node, "drained");
}

async function podsOf(session: Session, node: Target, options: Options) {
  const names = await session.vocabulary();
  const type = await (await session.catalog()).forName("pods");
  const client = await clientOf(session, { type, namespace: undefined });
  const pods: Target[] = [];
  const refusals = new Map<string, string[]>();
  const warnings = new Map<string, string[]>();
  const note = (map: Map<string, string[]>, text: string, pod: JsonObject) =>
    map.set(text, [...(map.get(text) ?? []), `${namespaceOf(pod)}/${nameOf(pod)}`]);
  const { podSelector } = options;
  const selection = {
    fieldSelector: `spec.nodeName=${node.name}`,
    signal: session.signal,
    ...(podSelector === undefined ? {} : { labelSelector: podSelector }),
  };
  for await (const pod of client.all(selection)) {
    const verdict = drainVerdict(pod, options, names);
    if (verdict.kind === "refuse") note(refusals, verdict.reason, pod);
    else {
      if (verdict.warning !== undefined) note(warnings, verdict.warning, pod);
      if (verdict.kind === "evict")
        pods.push({ type, namespace: namespaceOf(pod), name: nameOf(pod), object: pod, source: undefined });
    }
  }
  return { pods, refusals, warnings };
}

interface Eviction {
  readonly options: Options;
  readonly endMs: number;
  readonly outcomes: Outcomes;
}

async function evicted(session: Session, pod: Target, { options, endMs, outcomes }: Eviction): Promise<void> {
  const { dryRun, disableEviction } = options;
  const verb = disableEviction ? "deleted" : "evicted";
  session.write(`${disableEviction ? "deleting" : "evicting"} pod ${pod.namespace}/${pod.name}\n`);
  if (dryRun === "client") return;
  const seconds = Number(options.gracePeriod);
  const grace = seconds < 0 ? {} : { gracePeriodSeconds: seconds };
  const client = await clientOf(session, pod);
  const { uid = "" } = metaOf(pod.object ?? {});
  for (;;) {
    try {
      if (disableEviction)
        await client.delete(pod.name, {
          ...grace,
          preconditions: { uid },
          dryRun: dryRun === "server",
          signal: session.signal,
        });
      else {
        const eviction = {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: pod.name, namespace: pod.namespace },
          deleteOptions: { ...grace, preconditions: { uid } },
        };
        await client.createSubresource(pod.name, "eviction", eviction, {
          dryRun: dryRun === "server",
          signal: session.signal,
        });
      }
      break;
    } catch (error) {
      if (isCode(error, 404)) return;
      if (!isCode(error, 429)) throw error;
      if (session.io.now() + REFUSED_PAUSE_MS > endMs) throw error;
      session.tell(
        `error when evicting pods/${JSON.stringify(pod.name)} -n ${JSON.stringify(pod.namespace)} (will retry after 5s): ${error.message}`,
      );
      await pause(REFUSED_PAUSE_MS, undefined, { signal: session.signal });
    }
  }
  if (dryRun === "none") await removed(session, [pod], { timeoutMs: Math.max(0, endMs - session.io.now()) });
  outcomes.tell(pod, verb);
}
