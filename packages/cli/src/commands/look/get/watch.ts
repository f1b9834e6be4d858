// `orch get -w`: the objects and their changes, as rows in pipes, as objects, or as a table that is kept up to date on a
// terminal.
import type { JsonObject } from "@orch/schema";
import { isObject } from "@orch/schema";
import { compactJson, formatted } from "../../../output/format";
import { type ObjectFormat, objectFormat } from "../../../output/object-format";
import { ObjectPrinter } from "../../../output/object-printer";
import type { Session } from "../../../session/session";
import { type Change, Follower } from "./follow";
import { type GetOptions, itemsOfList, readOptionsOf, shownOn, tableOutputOf } from "./get-options";
import { KeptRows } from "./kept-rows";
import { type Target, targetsOf } from "./targets";

export async function watch(session: Session, words: readonly string[], options: GetOptions): Promise<void> {
  const format = objectFormat(options);
  const targets = await targetsOf(session, words, options);
  const client = await session.client();
  if (options.sortBy !== undefined) {
    const name = options.watchOnly ? "--watch-only" : "--watch";
    session.tell(
      `warning: ${name} requested, --sort-by will be ignored${options.watchOnly ? "" : " for watch events received"}`,
    );
  }
  const { sortBy: _, ...unsorted } = options;
  const isTable = format === undefined;
  const followers = targets.map((target) => new Follower(client, target, readOptionsOf(session, unsorted, isTable)));
  const until = endOf(session);
  if (isTable && session.io.stdout.isTTY && !options.watchOnly && !options.outputWatchEvents) {
    const { watchLive } = await import("./watch-live.js");
    await watchLive(session, followers, unsorted, until);
  } else await watchPlain(session, followers, unsorted, { format, until });
}

/** Verbosity from which on the end of a watch is told. */
const VERBOSE = 5;

/** Returns the signal of the end: the interruption of the command, or the time of --request-timeout. */
function endOf(session: Session): AbortSignal {
  const ms = session.requestTimeoutMs();
  if (ms !== undefined && (session.options.verbosity ?? 0) >= VERBOSE) {
    session.tell(`the watch ends by the Timeout of ${ms / 1000} s`);
  }
  return ms === undefined ? session.signal : AbortSignal.any([session.signal, AbortSignal.timeout(ms)]);
}

interface Plain {
  readonly format: ObjectFormat | undefined;
  readonly until: AbortSignal;
}

async function watchPlain(
  session: Session,
  followers: readonly Follower[],
  options: GetOptions,
  { format, until }: Plain,
): Promise<void> {
  const targets = followers.map(({ target }) => target);
  const each = followers.map((follower) => {
    const rows = new KeptRows();
    const write =
      format === undefined
        ? rowWriter(session, follower.target, targets, options)
        : objectWriter(session, format, options);
    return { follower, rows, write };
  });
  for (const { follower, rows, write } of each) {
    for await (const page of follower.pages()) {
      const parts = partsOf(follower.target, page);
      rows.add(parts);
      if (options.watchOnly) continue;
      // The rows of a page are aligned with each other.
      if (format === undefined) write("ADDED", page);
      else for (const part of parts) write("ADDED", part);
    }
  }
  const isTold = new Set<string>();
  await Promise.all(
    each.map(({ follower, rows, write }) =>
      follower.changes(
        {
          changed: (change) => {
            for (const part of partsOf(follower.target, change.object)) {
              rows.change(change.type, part);
              write(change.type, part);
            }
          },
          relisted: (page, isFirst, isLast) => {
            const found = rows.replace(partsOf(follower.target, page), isFirst, isLast);
            for (const { type, row } of found) write(type, row.part);
          },
          interrupted: (why) => {
            if (why === undefined) isTold.clear();
            else if (!isTold.has(why)) session.tell(`the watch was interrupted, and is tried again: ${why}`);
            if (why !== undefined) isTold.add(why);
          },
        },
        until,
      ),
    ),
  );
}

/** Returns the objects of a list or of an event, or tables of one row each. */
function partsOf(target: Target, page: JsonObject): JsonObject[] {
  const { rows } = page;
  if (Array.isArray(rows)) return rows.map((row) => ({ ...page, rows: [row] }));
  return Array.isArray(page["items"])
    ? itemsOfList(target, page)
    : isObject(page["metadata"]) && page["kind"] !== "Table"
      ? [page]
      : [];
}

type Write = (type: Change["type"], part: JsonObject) => void;

function rowWriter(session: Session, target: Target, targets: readonly Target[], options: GetOptions): Write {
  const output = tableOutputOf(session, targets, options);
  return (type, part) => session.write(output.page(target.type, part, options.outputWatchEvents ? type : undefined));
}

function objectWriter(session: Session, format: ObjectFormat, options: GetOptions): Write {
  const { showManagedFields, headers, outputWatchEvents } = options;
  const printer = new ObjectPrinter(format, { showManagedFields, headers });
  if (!outputWatchEvents) return (_, part) => session.write(shownOn(session, printer.text(part)));
  if (format.kind === "json") {
    return (type, object) => session.write(`${compactJson({ type, object: printer.shown(object) })}\n`);
  }
  if (format.kind === "yaml") {
    let count = 0;
    return (type, object) => {
      count += 1;
      session.write(`${count > 1 ? "---\n" : ""}${formatted({ type, object: printer.shown(object) }, "yaml")}`);
    };
  }
  return (_, part) => session.write(shownOn(session, printer.text(part)));
}
