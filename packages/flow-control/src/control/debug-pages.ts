// Debug pages for priority levels, queues and waiting requests. Source: Kubernetes documentation, "API Priority and
// Fairness", "Debug endpoints".
import { answerText } from "@orch/http-server";
import type { ApiRequest, ApiResponse } from "@orch/request";
import type { PriorityLevel } from "../levels/priority-level";
import type { FlowQueue, Queued } from "../queues/fair-queues";
import { textTable } from "./text-table";

type Page = (request: ApiRequest, response: ApiResponse) => void;

/** Maximum number of queues shown for all levels; of further levels only the queues in use are shown. */
const QUEUES_SHOWN = 5000;
/** Maximum number of requests shown for all levels. */
const REQUESTS_SHOWN = 5000;

/** Pages by path. @param now milliseconds since 1970, and `elapsed` at the same moment */
export function fairnessPages(
  levels: () => readonly PriorityLevel[],
  clock: { now(): number; elapsed(): number },
): ReadonlyMap<string, Page> {
  const root = "/debug/api_priority_and_fairness";
  return new Map<string, Page>([
    [`${root}/dump_priority_levels`, (_, response) => answerText(response, 200, levelTable(levels()))],
    [`${root}/dump_queues`, (_, response) => answerText(response, 200, queueTable(levels()))],
    [
      `${root}/dump_requests`,
      ({ context }, response) => {
        const details = (context.info.query?.get("includeRequestDetails") ?? "") !== "";
        const arrivalOf = (queued: Queued) => clock.now() - clock.elapsed() + queued.arrivedMs;
        answerText(response, 200, requestTable(levels(), { details, arrivalOf }));
      },
    ],
  ]);
}

function levelTable(levels: readonly PriorityLevel[]): string {
  const rows = levels.map((level) => {
    if (level.limited === undefined) return [level.name, ...NONE];
    const { queues } = level;
    return [
      level.name,
      String(queues.activeQueues),
      String(level.isIdle),
      String(level.isDraining),
      String(queues.waitingRequests),
      String(level.executing),
      String(level.dispatched),
      String(level.rejected),
      String(level.timedOut),
      String(level.cancelled),
    ];
  });
  return textTable([LEVEL_COLUMNS, ...rows]);
}

const LEVEL_COLUMNS = [
  "PriorityLevelName",
  "ActiveQueues",
  "IsIdle",
  "IsQuiescing",
  "WaitingRequests",
  "ExecutingRequests",
  "DispatchedRequests",
  "RejectedRequests",
  "TimedoutRequests",
  "CancelledRequests",
] as const;

const NONE = LEVEL_COLUMNS.slice(1).map(() => "<none>");

function queueTable(levels: readonly PriorityLevel[]): string {
  let left = QUEUES_SHOWN;
  const rows = levels.flatMap(({ name, limited, queues }) => {
    if (limited?.queuing === undefined && queues.waitingRequests === 0) return [];
    const shown = shownQueues(queues, left).slice(0, QUEUES_SHOWN);
    left = Math.max(left - shown.length, 0);
    return shown.map((queue) => [
      name,
      String(queue.index),
      String(queue.waiting?.size ?? 0),
      String(queue.executing ?? 0),
      String(queue.seats ?? 0),
      (queue.start ?? 0).toFixed(4),
    ]);
  });
  return textTable([
    ["PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse", "VirtualStart"],
    ...rows,
  ]);
}

function shownQueues(
  queues: PriorityLevel["queues"],
  max: number,
): readonly (Partial<FlowQueue> & { readonly index: number })[] {
  const known = queues.known();
  if (queues.queueCount > max) return known;
  const byIndex = new Map(known.map((queue) => [queue.index, queue]));
  const all = Array.from({ length: queues.queueCount }, (_, index) => byIndex.get(index) ?? { index });
  return [...all, ...known.filter(({ index }) => index >= queues.queueCount)];
}

function requestTable(
  levels: readonly PriorityLevel[],
  { details, arrivalOf }: { readonly details: boolean; readonly arrivalOf: (queued: Queued) => number },
): string {
  const rows: string[][] = [[...REQUEST_COLUMNS, ...(details ? DETAIL_COLUMNS : [])]];
  for (const { name, queues } of levels) {
    for (const queue of queues.known()) {
      let place = 0;
      for (const queued of queue.waiting) {
        if (rows.length > REQUESTS_SHOWN) return textTable(rows);
        const about = queued.waiting.about();
        const arrived = new Date(arrivalOf(queued)).toISOString();
        const row = [name, about.schema, String(queue.index), String(place), about.distinguisher, arrived];
        const { user, verb, path, namespace, version, resource, subresource } = about;
        if (details) row.push(user, verb, path, namespace, about.name, version, resource, subresource);
        rows.push(row);
        place += 1;
      }
    }
  }
  return textTable(rows);
}

/** Column names as in Kubernetes. */
const REQUEST_COLUMNS = [
  "PriorityLevelName",
  "FlowSchemaName",
  "QueueIndex",
  "RequestIndexInQueue",
  "FlowDistingsher",
  "ArriveTime",
];
const DETAIL_COLUMNS = ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"];
