// Options of `orch get`, and what all of its forms derive from them.
import { isObject, type JsonObject } from "@orch/schema";
import { visibleLines } from "../../../output/columns";
import type { FormatOptions } from "../../../output/object-format";
import { TABLE_ACCEPT } from "../../../output/server-table";
import type { Session } from "../../../session/session";
import type { ReadOptions } from "./read-pages";
import { TableOutput } from "./table-output";
import type { Selection, Target } from "./targets";

export interface GetOptions extends Selection, FormatOptions {
  readonly labelColumns?: readonly string[];
  readonly showLabels?: boolean;
  readonly sortBy?: string;
  readonly headers: boolean;
  readonly showKind?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly raw?: string;
  readonly chunkSize: number;
  readonly subresource?: string;
  readonly serverPrint: string;
  readonly watch?: boolean;
  readonly watchOnly?: boolean;
  readonly outputWatchEvents?: boolean;
}

export const readOptionsOf = (session: Session, options: GetOptions, isTableAsked: boolean): ReadOptions => ({
  labelSelector: options.selector,
  fieldSelector: options.fieldSelector,
  subresource: options.subresource,
  limit: options.sortBy === undefined ? options.chunkSize : 0,
  signal: session.signal,
  ...(isTableAsked && { accept: TABLE_ACCEPT }),
  ...(isTableAsked && options.sortBy !== undefined && { includeObject: "Object" as const }),
});

export function tableOutputOf(session: Session, targets: readonly Target[], options: GetOptions): TableOutput {
  const kinds = new Set(targets.map(({ type }) => `${type.kind}.${type.group}`));
  const { output, headers, showLabels, labelColumns, allNamespaces, showKind } = options;
  return new TableOutput({
    headers,
    withKind: showKind === true || kinds.size > 1,
    now: session.io.now,
    ...(output === "wide" && { wide: true }),
    ...(showLabels && { showLabels }),
    ...(labelColumns && { labelColumns }),
    ...(allNamespaces && { allNamespaces }),
  });
}

/** Returns the items, which lists of built-in kinds leave without kind and version. */
export function itemsOfList({ type }: Target, list: JsonObject): JsonObject[] {
  const { group, version, kind } = type;
  const envelope = { apiVersion: group === "" ? version : `${group}/${version}`, kind };
  const items = Array.isArray(list["items"]) ? list["items"] : [];
  return items.filter(isObject).map((item) => ({ ...envelope, ...item }));
}

/** Returns a text as it may be shown: on a terminal, without control characters that a server has sent. */
export const shownOn = ({ io }: Session, text: string): string => (io.stdout.isTTY ? visibleLines(text) : text);
