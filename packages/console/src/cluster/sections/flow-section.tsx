import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import type { Loaded } from "../../parts/use-loaded";
import { usePolled } from "../../parts/use-polled";
import { request } from "../../requests/api";
import { type Waiting, waitingFlows } from "../flows";
import { DISPATCHED, EXECUTING, QUEUED, REJECTED, SEATS_IN_USE, SEATS_LIMIT } from "../metric-names";
import type { Metrics } from "../metrics-text";
import { type TextRow, textTableIn } from "../text-table";
import { numberText } from "../texts";
import type { SeenMetrics } from "../use-metrics";

const ROOT = "/debug/api_priority_and_fairness";
const PAUSE_MS = 5000;

interface Dumps {
  readonly levels: readonly TextRow[];
  readonly queues: readonly TextRow[];
  readonly flows: readonly Waiting[];
}

/** Priority levels with their seats and queues, and who fills them. */
export function FlowSection({ metrics }: { readonly metrics: Loaded<SeenMetrics> }) {
  const loaded = usePolled(readDumps, [], () => PAUSE_MS);
  return (
    <Section title="Flow control">
      <Part subject="The priority levels" loaded={loaded}>
        {({ levels, queues, flows }) => (
          <>
            <Levels levels={levels} metrics={metrics.value?.metrics} />
            <h3>Queues in use</h3>
            <DataTable
              label="Queues in use"
              head={["Level", "Queue", "Waiting", "Executing", "Seats"]}
              rows={queues.map((row) => [
                ...[row["PriorityLevelName"], row["Index"], row["PendingRequests"], row["ExecutingRequests"]],
                row["SeatsInUse"],
              ])}
              none="No queue is in use."
            />
            <h3>Waiting requests</h3>
            <DataTable
              label="Waiting requests"
              head={["Level", "Flow schema", "User", "Requests"]}
              rows={flows.map(({ level, schema, user, requests }) => [level, schema, user, requests])}
              none="No request waits."
            />
          </>
        )}
      </Part>
      <h3>Flow schemas</h3>
      <Part subject="The metrics" loaded={metrics}>
        {({ metrics: seen }) => <Schemas metrics={seen} />}
      </Part>
    </Section>
  );
}

function Levels({ levels, metrics }: { readonly levels: readonly TextRow[]; readonly metrics: Metrics | undefined }) {
  const limits = metrics?.sumsBy("priority_level", ...SEATS_LIMIT);
  const inUse = metrics?.sumsBy("priority_level", ...SEATS_IN_USE);
  const countIn = (row: TextRow, column: string) => (row[column] === "<none>" ? "not limited" : row[column]);
  return (
    <DataTable
      label="Priority levels"
      head={["Level", "Seats", "Executing", "Waiting", "Active queues", "Dispatched", "Rejected", "Timed out"]}
      rows={levels.map((row) => {
        const name = row["PriorityLevelName"] ?? "";
        const isLimited = row["ExecutingRequests"] !== "<none>";
        const limit = limits?.get(name);
        return [
          name,
          isLimited && limit !== undefined ? `${numberText(inUse?.get(name) ?? 0)} of ${numberText(limit)}` : "",
          ...["ExecutingRequests", "WaitingRequests", "ActiveQueues"].map((column) => countIn(row, column)),
          ...["DispatchedRequests", "RejectedRequests", "TimedoutRequests"].map((column) => countIn(row, column)),
        ];
      })}
      none="The server has no priority levels."
    />
  );
}

/** Schemas by their present load: those that were used. */
function Schemas({ metrics }: { readonly metrics: Metrics }) {
  const [executing, queued, dispatched, rejected] = [EXECUTING, QUEUED, DISPATCHED, REJECTED].map((name) =>
    metrics.sumsBy("flow_schema", name),
  );
  const rows = [...(dispatched ?? [])].sort(
    ([one, ofOne], [other, ofOther]) =>
      (executing?.get(other) ?? 0) - (executing?.get(one) ?? 0) || ofOther - ofOne || (one < other ? -1 : 1),
  );
  return (
    <DataTable
      label="Flow schemas"
      head={["Flow schema", "Executing", "Waiting", "Dispatched", "Rejected"]}
      rows={rows.map(([schema, count]) => [
        ...[schema, executing?.get(schema) ?? 0, queued?.get(schema) ?? 0],
        ...[numberText(count), numberText(rejected?.get(schema) ?? 0)],
      ])}
      none="The metrics tell of no flow schemas."
    />
  );
}

async function readDumps(signal: AbortSignal): Promise<Dumps> {
  const pages = ["dump_priority_levels", "dump_queues", "dump_requests?includeRequestDetails=1"];
  const [levels = [], queues = [], requests = []] = await Promise.all(
    pages.map(async (page) =>
      textTableIn(await (await request(`${ROOT}/${page}`, { accept: "text/plain", signal })).text()),
    ),
  );
  const isUsed = (row: TextRow) => row["PendingRequests"] !== "0" || row["ExecutingRequests"] !== "0";
  return { levels, queues: queues.filter(isUsed), flows: waitingFlows(requests) };
}
