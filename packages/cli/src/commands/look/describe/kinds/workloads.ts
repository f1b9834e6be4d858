import { ageText } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { at, type Column, column, type Fact, fact, itemsAt, type KindView, selectorText, textAt } from "../kind-view";
import { podFacts, podSections, podShows } from "./pod-template";

const TEMPLATE = "spec.template.spec";
const ofTemplate = { facts: podFacts(TEMPLATE), sections: podSections(TEMPLATE), shows: podShows(TEMPLATE) };
const SELECTOR: Fact = ["Selector", (object) => selectorText(at(object, "spec.selector"))];
const SETS = "replica sets";
const PODS = "pods";

/** Returns the number of replicas of each state. */
const replicas = (parts: readonly (readonly [text: string, path: string])[]): Fact => [
  "Replicas",
  (object) => parts.map(([text, path]) => `${textAt(object, path) ?? "0"} ${text}`).join(", "),
];

const STRATEGY: Fact = [
  "Strategy",
  (object) => {
    const kind = textAt(object, "spec.strategy.type") ?? textAt(object, "spec.updateStrategy.type");
    const of = at(object, "spec.strategy.rollingUpdate") ?? at(object, "spec.updateStrategy.rollingUpdate");
    const details = textAt({ of: of ?? "" }, "of");
    return details === undefined ? kind : `${kind} (${details})`;
  },
];

const isOwnedBy = (owner: JsonObject) => (object: JsonObject) =>
  itemsAt(object, "metadata.ownerReferences").some(({ uid }) => uid === textAt(owner, "metadata.uid"));

const AGE: Column = ["Age", (item, { nowMs }) => ageText(textAt(item, "metadata.creationTimestamp") ?? "", nowMs)];

const sets = (title: string, isWanted: (set: JsonObject, deployment: JsonObject) => boolean) => ({
  title,
  items: (deployment: JsonObject, { found }: { readonly found: ReadonlyMap<string, readonly JsonObject[]> }) =>
    found.get(SETS)?.filter((set) => isWanted(set, deployment)),
  columns: [
    column("Name", "metadata.name"),
    column("Desired", "spec.replicas", "0"),
    column("Current", "status.replicas", "0"),
    column("Ready", "status.readyReplicas", "0"),
    AGE,
  ],
});

/** Returns the highest revision of sets: those of annotations whose names end alike in all vocabularies. */
function revisionOf(object: JsonObject): string | undefined {
  const annotations = at(object, "metadata.annotations");
  const [, value] =
    Object.entries((annotations ?? {}) as JsonObject).find(([key]) => /^deployment\.[^/]+\/revision$/.test(key)) ?? [];
  return value === undefined ? undefined : String(value);
}

export const DEPLOYMENT: KindView = {
  facts: [
    replicas([
      ["desired", "spec.replicas"],
      ["updated", "status.updatedReplicas"],
      ["total", "status.replicas"],
      ["available", "status.availableReplicas"],
      ["unavailable", "status.unavailableReplicas"],
    ]),
    ["Revision", revisionOf],
    SELECTOR,
    STRATEGY,
    fact("Paused", "spec.paused"),
    ...ofTemplate.facts,
  ],
  sections: [
    ...ofTemplate.sections,
    sets("New Replica Set", (set, deployment) => revisionOf(set) === revisionOf(deployment)),
    sets(
      "Old Replica Sets",
      (set, deployment) => revisionOf(set) !== revisionOf(deployment) && at(set, "spec.replicas") !== 0,
    ),
  ],
  shows: [
    ...ofTemplate.shows,
    ...["spec.replicas", "spec.selector", "spec.strategy", "spec.paused", "status.replicas", "status.updatedReplicas"],
    ...["status.availableReplicas", "status.unavailableReplicas"],
  ],
  questions: (deployment) => [{ name: SETS, resource: "replicasets.apps", isWanted: isOwnedBy(deployment) }],
};

const podCounts: Fact = [
  "Pods",
  (_, { found }) => {
    const pods = found.get(PODS);
    if (pods === undefined) return undefined;
    const phases = ["Running", "Pending", "Succeeded", "Failed"];
    return phases
      .map((phase) => `${pods.filter((pod) => textAt(pod, "status.phase") === phase).length} ${phase.toLowerCase()}`)
      .join(", ");
  },
];
const podsOwned = (owner: JsonObject) => [{ name: PODS, resource: "pods", isWanted: isOwnedBy(owner) }];

/** A view of the kinds that keep a number of pods. */
const replicated = (parts: readonly (readonly [string, string])[]): KindView => ({
  facts: [replicas(parts), podCounts, SELECTOR, STRATEGY, fact("Service", "spec.serviceName"), ...ofTemplate.facts],
  sections: ofTemplate.sections,
  shows: [
    ...ofTemplate.shows,
    ...["spec.selector", "spec.updateStrategy", "spec.serviceName"],
    ...parts.map(([, path]) => path),
  ],
  questions: podsOwned,
});

export const REPLICA_SET = replicated([
  ["desired", "spec.replicas"],
  ["current", "status.replicas"],
  ["ready", "status.readyReplicas"],
]);
export const STATEFUL_SET = replicated([
  ["desired", "spec.replicas"],
  ["total", "status.replicas"],
  ["ready", "status.readyReplicas"],
]);
export const DAEMON_SET = replicated([
  ["desired", "status.desiredNumberScheduled"],
  ["scheduled", "status.currentNumberScheduled"],
  ["up to date", "status.updatedNumberScheduled"],
  ["available", "status.numberAvailable"],
  ["misscheduled", "status.numberMisscheduled"],
]);

export const JOB: KindView = {
  facts: [
    fact("Parallelism", "spec.parallelism"),
    fact("Completions", "spec.completions"),
    fact("Completion Mode", "spec.completionMode"),
    fact("Backoff Limit", "spec.backoffLimit"),
    fact("Suspend", "spec.suspend"),
    fact("Started", "status.startTime"),
    fact("Completed", "status.completionTime"),
    [
      "Pods",
      (job) =>
        (["active", "succeeded", "failed"] as const)
          .map((state) => `${textAt(job, `status.${state}`) ?? "0"} ${state}`)
          .join(", "),
    ],
    SELECTOR,
    ...ofTemplate.facts,
  ],
  sections: ofTemplate.sections,
  shows: [
    ...ofTemplate.shows,
    ...["spec.parallelism", "spec.completions", "spec.completionMode", "spec.backoffLimit", "spec.suspend"],
    ...["spec.selector", "status.startTime", "status.completionTime", "status.active", "status.succeeded"],
    "status.failed",
  ],
};

const OF_JOBS = "spec.jobTemplate.spec.template.spec";

export const CRON_JOB: KindView = {
  facts: [
    fact("Schedule", "spec.schedule"),
    fact("Time Zone", "spec.timeZone"),
    fact("Suspend", "spec.suspend"),
    fact("Concurrency Policy", "spec.concurrencyPolicy"),
    fact("Last Schedule", "status.lastScheduleTime", "<none>"),
    fact("Last Success", "status.lastSuccessfulTime"),
    [
      "Active Jobs",
      (job) =>
        itemsAt(job, "status.active")
          .map((each) => textAt(each, "name"))
          .join(", ") || "<none>",
    ],
    ...podFacts(OF_JOBS),
  ],
  sections: podSections(OF_JOBS),
  shows: [
    ...podShows(OF_JOBS),
    ...["spec.schedule", "spec.timeZone", "spec.suspend", "spec.concurrencyPolicy", "status"],
  ],
};

/** Returns a value of a metric of an autoscaler, as given and as found. */
function metricText(metric: JsonObject, member: "target" | "current"): string {
  const kind = textAt(metric, "type") ?? "";
  const of = at(metric, kind.charAt(0).toLowerCase() + kind.slice(1));
  const found = ["averageUtilization", "averageValue", "value"].map((each) => [
    each,
    textAt({ of: of ?? {} }, `of.${member}.${each}`),
  ]);
  const [unit, text] = found.find(([, each]) => each !== undefined) ?? [];
  return text === undefined ? "<unknown>" : unit === "averageUtilization" ? `${text}%` : String(text);
}

function metricName(metric: JsonObject): string {
  const kind = textAt(metric, "type") ?? "";
  const of = { of: at(metric, kind.charAt(0).toLowerCase() + kind.slice(1)) ?? {} };
  return textAt(of, "of.name") ?? textAt(of, "of.metric.name") ?? kind;
}

export const AUTOSCALER: KindView = {
  facts: [
    ["Reference", (hpa) => `${textAt(hpa, "spec.scaleTargetRef.kind")}/${textAt(hpa, "spec.scaleTargetRef.name")}`],
    fact("Min Replicas", "spec.minReplicas", "1"),
    fact("Max Replicas", "spec.maxReplicas"),
    [
      "Replicas",
      (hpa) =>
        `${textAt(hpa, "status.currentReplicas") ?? "0"} current, ${textAt(hpa, "status.desiredReplicas") ?? "0"} desired`,
    ],
    fact("Last Scale", "status.lastScaleTime"),
  ],
  sections: [
    {
      title: "Metrics",
      items: (hpa) => {
        const current = itemsAt(hpa, "status.currentMetrics");
        return itemsAt(hpa, "spec.metrics").map((metric) => {
          const found = current.find((each) => metricName(each) === metricName(metric));
          return {
            name: metricName(metric),
            kind: metric["type"] ?? "",
            current: found === undefined ? "<unknown>" : metricText(found, "current"),
            target: metricText(metric, "target"),
          };
        });
      },
      columns: [
        column("Name", "name"),
        column("Type", "kind"),
        column("Current", "current"),
        column("Target", "target"),
      ],
    },
  ],
  shows: [
    ...["spec.scaleTargetRef", "spec.minReplicas", "spec.maxReplicas", "spec.metrics", "status.currentMetrics"],
    ...["status.currentReplicas", "status.desiredReplicas", "status.lastScaleTime"],
  ],
};
