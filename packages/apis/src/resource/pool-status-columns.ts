// Columns of pool status requests. Source: pkg/printers/internalversion/printers.go.
import { type CellObject, column, integerColumn, nameColumn } from "@orch/apis-model";
import { ageText, type TableColumn } from "@orch/machinery";
import type { resourceV1alpha3 } from "@orch/schema";

type Request = resourceV1alpha3.ResourcePoolStatusRequest;
type Cell = CellObject<Request>;
type Pool = NonNullable<NonNullable<NonNullable<Cell["status"]>["pools"]>[number]>;

const trueCondition = ({ status }: Cell, wanted: string) =>
  status?.conditions?.find((condition) => condition?.type === wanted && condition.status === "True");

const isFailed = (request: Cell) => !trueCondition(request, "Complete") && Boolean(trueCondition(request, "Failed"));

/** A sum over all pools; `-` without an answer. */
const total = (name: string, description: string, amount: (pool: Pool) => number | null | undefined) =>
  column<Request>(name, description, (request) => {
    const { status } = request;
    if (!status || isFailed(request)) return "-";
    return String((status.pools ?? []).reduce((sum, pool) => sum + (pool ? (amount(pool) ?? 0) : 0), 0));
  });

function progress(request: Cell): string {
  if (isFailed(request)) return "Failed";
  if (!trueCondition(request, "Complete")) return "Pending";
  const { pools, poolCount } = request.status ?? {};
  const shown = pools?.length ?? 0;
  return (poolCount ?? 0) > shown ? `Complete (${shown}/${poolCount} pools)` : "Complete";
}

export const poolStatusColumns: readonly TableColumn[] = [
  nameColumn,
  column<Request>("Driver", "The driver of the pools.", ({ spec }) => spec?.driver ?? ""),
  total("Total", "The number of devices in all pools.", ({ totalDevices }) => totalDevices),
  total("Available", "The number of devices that can be allocated.", ({ availableDevices }) => availableDevices),
  total("Allocated", "The number of allocated devices.", ({ allocatedDevices }) => allocatedDevices),
  total("Unavailable", "The number of devices that can not be allocated.", (pool) => pool.unavailableDevices),
  total("Errors", "The number of pools with errors.", ({ validationError }) => (validationError ? 1 : 0)),
  integerColumn<Request>("Pools", "The number of matching pools.", ({ status }) => status?.poolCount ?? 0),
  column<Request>("Status", "Whether the request is answered.", progress),
  column<Request>("Completed", "The time since the answer.", (request, { nowMs }) => {
    const condition = trueCondition(request, "Complete");
    return condition ? ageText(condition.lastTransitionTime, nowMs) : "<none>";
  }),
];
