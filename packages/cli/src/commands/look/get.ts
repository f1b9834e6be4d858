// `orch get`: tables and objects.
import type { Client } from "@orch/client";
import { isCode } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { addFormatOptions, type ObjectFormat, objectFormat } from "../../output/object-format";
import { itemsOf, ListPrinter, ObjectPrinter } from "../../output/object-printer";
import { isTable, type TableRow } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import { collected, separated } from "../../process/global-options";
import { requireRawPath } from "../../process/raw-path";
import { addKustomize } from "../../resources/kustomize";
import type { Session } from "../../session/session";
import { type GetOptions, itemsOfList, readOptionsOf, shownOn, tableOutputOf } from "./get/get-options";
import { type ReadOptions, readPages } from "./get/read-pages";
import { type Target, targetsOf } from "./get/targets";

const PAGE_ITEMS = 500;
const EXAMPLES = `
Examples:
  orch get pods                                   list the pods of the namespace
  orch get pods,services -A -o wide               list two kinds in all namespaces
  orch get deployment/web -o yaml                 show an object
  orch get pods -l app=web --sort-by=.status.startTime
  orch get pods -o jsonpath='{.items[*].metadata.name}'
  orch get pods,jobs -w                           follow two kinds in a table`;

export function define(command: Command, session: Session): void {
  command
    .argument("[resources...]", "TYPE [NAME...], TYPE/NAME..., or TYPE,TYPE")
    .option("-A, --all-namespaces", "objects of all namespaces")
    .option("-l, --selector <query>", "only objects with these labels, such as app=web")
    .option("--field-selector <query>", "only objects with these fields, such as status.phase=Running")
    .option("-f, --filename <path>", "objects of this file, folder or URL; may be repeated", collected)
    .option("-R, --recursive", "also read the folders within the folders of -f")
    .option("-L, --label-columns <labels>", "show these labels as columns", separated)
    .option("--show-labels", "show all labels in the last column")
    .option("--show-kind", "show the kind before the name")
    .option("--sort-by <path>", "order by a field, such as .metadata.creationTimestamp")
    .option("--no-headers", "leave out the headers")
    .option("--ignore-not-found", "succeed without output where an object does not exist")
    .option("--raw <path>", "print the answer of this path")
    .option("--chunk-size <number>", "objects of a page; 0: all in one answer", Number, PAGE_ITEMS)
    .option("--subresource <name>", "read a subresource, such as status or scale")
    .option("--server-print <bool>", "show the columns of the server", "true")
    .option("-w, --watch", "show the objects, then their changes")
    .option("--watch-only", "show only changes")
    .option("--output-watch-events", "show the kind of each change");
  addFormatOptions(command, ["wide"]).addHelpText("after", EXAMPLES);
  addKustomize(command);
  command.action(async (words: readonly string[], options: GetOptions) => {
    check(words, options);
    if (options.raw !== undefined) {
      await printRaw(session, options.raw);
    } else if (options.watch || options.watchOnly) {
      const { watch } = await import("./get/watch.js");
      await watch(session, words, options);
    } else await get(session, words, options);
  });
}

function check(words: readonly string[], options: GetOptions): void {
  const { raw, output, showLabels, outputWatchEvents, watch, watchOnly, selector, filename, chunkSize } = options;
  if (raw !== undefined) {
    if (words.length > 0 || filename !== undefined)
      throw new CliError("arguments may not be passed when --raw is specified");
    if (watch || watchOnly || selector !== undefined) {
      throw new CliError(
        "--raw may not be specified with other flags that filter the server request or alter the output",
      );
    }
    if (output !== undefined) throw new CliError("--raw and --output are mutually exclusive");
    requireRawPath(raw);
  }
  if (showLabels && output !== undefined && output !== "wide") {
    throw new CliError(`--show-labels option cannot be used with ${output.split("=")[0]} printer`);
  }
  if (outputWatchEvents && !(watch || watchOnly)) {
    throw new CliError("--output-watch-events option can only be used with --watch or --watch-only");
  }
  if (!(chunkSize >= 0)) throw new CliError("--chunk-size must be a number, 0 or more");
}

async function printRaw(session: Session, path: string): Promise<void> {
  const client = await session.client();
  try {
    session.write(shownOn(session, await client.getText(path, { signal: session.signal })));
  } catch (error) {
    // An answer that is no Status, such as the list of paths, is no message.
    if (!isCode(error, 404) || !(error as Error).message.includes("\n")) throw error;
    throw new CliError(`the server has no path ${JSON.stringify(path)}`);
  }
}

async function get(session: Session, words: readonly string[], options: GetOptions): Promise<void> {
  const format = objectFormat(options);
  const errors: unknown[] = [];
  const targets = await targetsOf(session, words, options, errors);
  const client = await session.client();
  const reading = { client, targets, options, errors };
  if (format === undefined) await printTables(session, reading);
  else await printObjects(session, reading, format);
  if (reading.errors.length > 0)
    throw reading.errors.length === 1 ? reading.errors[0] : new AggregateError(reading.errors);
}

interface Reading {
  readonly client: Client;
  readonly targets: readonly Target[];
  readonly options: GetOptions;
  /** Errors of single targets, which do not keep the others from being shown. */
  readonly errors: unknown[];
}

/** Yields the pages of all targets. */
async function* pagesOf(
  { client, targets, options, errors }: Reading,
  read: ReadOptions,
): AsyncGenerator<{ readonly target: Target; readonly page: JsonObject }, void, undefined> {
  for (const target of targets) {
    try {
      for await (const page of readPages(client, target, read)) yield { target, page };
    } catch (error) {
      if (read.signal?.aborted) throw error;
      if (options.ignoreNotFound && isCode(error, 404)) continue;
      errors.push(error);
    }
  }
}

async function printTables(session: Session, reading: Reading): Promise<void> {
  const { targets, options, errors } = reading;
  const output = tableOutputOf(session, targets, options);
  for await (const { target, page } of pagesOf(
    reading,
    readOptionsOf(session, options, options.serverPrint !== "false"),
  )) {
    const rows = options.sortBy === undefined ? page : await sortedPage(page, options.sortBy);
    if (rows !== undefined) session.write(output.page(target.type, rows));
  }
  if (!output.isEmpty || options.ignoreNotFound || errors.length > 0) return;
  const isInNamespace = targets.every(({ namespace }) => namespace !== undefined);
  const where = isInNamespace ? ` in ${targets[0]?.namespace ?? session.namespace} namespace.` : "";
  session.tell(`No resources found${where}`);
}

async function sortedPage(page: JsonObject, path: string): Promise<JsonObject | undefined> {
  const { sorted } = await import("./get/sorting.js");
  const table: unknown = page;
  if (isTable(table)) {
    const rows = sorted(table.rows ?? [], ({ object }: TableRow) => object ?? {}, path);
    return rows === undefined ? undefined : ({ ...table, rows } as unknown as JsonObject);
  }
  const items = sorted(itemsOf(page), (item) => item, path);
  return items === undefined ? undefined : { ...page, items: [...items] };
}

async function printObjects(session: Session, reading: Reading, format: ObjectFormat): Promise<void> {
  const { targets, options, errors } = reading;
  const printing = { showManagedFields: options.showManagedFields, headers: options.headers };
  const [only] = targets;
  const isSingle = targets.length === 1 && only?.name !== undefined;
  const read = readOptionsOf(session, options, false);
  const printer = isSingle ? new ObjectPrinter(format, printing) : new ListPrinter(format, printing);
  const kept: JsonObject[] = [];
  let found = 0;
  for await (const { target, page } of pagesOf(reading, read)) {
    found += 1;
    if (printer instanceof ObjectPrinter) {
      session.write(shownOn(session, printer.text(page)));
      continue;
    }
    const items = target.name === undefined ? itemsOfList(target, page) : [page];
    if (options.sortBy === undefined) session.write(shownOn(session, printer.items(items)));
    else for (const item of items) kept.push(item);
  }
  if (printer instanceof ObjectPrinter || (found === 0 && options.ignoreNotFound)) return;
  if (options.sortBy !== undefined) {
    const { sorted } = await import("./get/sorting.js");
    const items = sorted(kept, (item) => item, options.sortBy);
    if (items === undefined)
      errors.push(
        new CliError(`couldn't find any field with path ${JSON.stringify(options.sortBy)} in the list of objects`),
      );
    else session.write(shownOn(session, printer.items(items)));
  }
  session.write(shownOn(session, printer.end()));
}
