// Numbers and sizes of objects by kind, namespace and field manager: all objects are read, page by page.
import type { Client, DiscoveredResource } from "@orch/client";
import { StatusError } from "@orch/machinery";

export interface Amount {
  objects: number;
  bytes: number;
}

export interface ObjectSizes {
  readonly total: Amount;
  readonly kind: ReadonlyMap<string, Amount>;
  readonly namespace: ReadonlyMap<string, Amount>;
  readonly manager: ReadonlyMap<string, Amount>;
  /** Resources that could not be read, and why. */
  readonly lacking: readonly string[];
}

const PAGE = 500;
/** Groups of the column for objects without namespace and without managers. */
const NONE = "(none)";

interface Item {
  readonly metadata?: {
    readonly namespace?: string;
    readonly managedFields?: readonly { readonly manager?: string }[];
  };
}

/** Reads all objects. Bytes are those of the JSON form. */
export async function objectSizes(
  client: Client,
  types: readonly DiscoveredResource[],
  signal: AbortSignal,
): Promise<ObjectSizes> {
  const total: Amount = { objects: 0, bytes: 0 };
  const maps = {
    kind: new Map<string, Amount>(),
    namespace: new Map<string, Amount>(),
    manager: new Map<string, Amount>(),
  };
  const lacking: string[] = [];
  for (const type of types) {
    const name = type.group === "" ? type.resource : `${type.resource}.${type.group}`;
    try {
      let next = "";
      do {
        const page = await client.resource(type).list({ limit: PAGE, signal, ...(next !== "" && { continue: next }) });
        for (const item of page.items as readonly Item[]) {
          const bytes = Buffer.byteLength(JSON.stringify(item));
          count(total, bytes);
          count(amountIn(maps.kind, name), bytes);
          count(amountIn(maps.namespace, item.metadata?.namespace ?? NONE), bytes);
          const managers = new Set(item.metadata?.managedFields?.map(({ manager = NONE }) => manager) ?? [NONE]);
          for (const manager of managers) count(amountIn(maps.manager, manager), bytes);
        }
        next = page.continue;
      } while (next !== "");
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      lacking.push(`${name}: ${error.message}`);
    }
  }
  return { total, ...maps, lacking };
}

function amountIn(map: Map<string, Amount>, key: string): Amount {
  let amount = map.get(key);
  if (amount === undefined) {
    amount = { objects: 0, bytes: 0 };
    map.set(key, amount);
  }
  return amount;
}

function count(amount: Amount, bytes: number): void {
  amount.objects += 1;
  amount.bytes += bytes;
}
