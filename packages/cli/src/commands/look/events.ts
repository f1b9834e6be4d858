// `orch events`: events in the order of their time. Source: kubectl's reference, "kubectl events".
import { isObject, type JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { ColumnLayout } from "../../output/columns";
import { addFormatOptions, type FormatOptions, objectFormat } from "../../output/object-format";
import { ListPrinter, ObjectPrinter } from "../../output/object-printer";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { eventCells, eventHeaders, timeOf } from "./event-rows";
import { Follower } from "./get/follow";
import { itemsOfList, shownOn } from "./get/get-options";

interface Options extends FormatOptions {
  readonly allNamespaces?: boolean;
  readonly for?: string;
  readonly types?: string;
  readonly watch?: boolean;
  readonly headers: boolean;
  readonly chunkSize: number;
}

const TYPES = ["Normal", "Warning"] as const;
const PAGE_ITEMS = 500;

export function define(command: Command, session: Session): void {
  command
    .option("-A, --all-namespaces", "events of all namespaces")
    .option("--for <object>", "only events of this object, as in pod/web")
    .option("--types <types>", "only events of these types, separated by commas: Normal, Warning")
    .option("-w, --watch", "show the events, then new ones")
    .option("--no-headers", "leave out the headers")
    .option("--chunk-size <number>", "events of a page; 0: all in one answer", Number, PAGE_ITEMS);
  addFormatOptions(command);
  command.action((options: Options) => events(session, options));
}

async function events(session: Session, options: Options): Promise<void> {
  const format = objectFormat(options);
  const types = typesOf(options.types);
  const catalog = await session.catalog();
  const type = await catalog.forKind("v1", "Event");
  const target = { type, namespace: options.allNamespaces ? undefined : session.namespace };
  const fieldSelector = options.for === undefined ? undefined : await selectorOf(session, options.for);
  const follower = new Follower(catalog.client, target, {
    fieldSelector,
    limit: options.chunkSize,
    signal: session.signal,
  });
  const isShown = (event: JsonObject) => types === undefined || types.has(String(event["type"]).toLowerCase());
  const found: JsonObject[] = [];
  for await (const page of follower.pages()) {
    for (const item of itemsOfList(target, page)) if (isShown(item)) found.push(item);
  }
  found.sort((one, other) => timeOf(one) - timeOf(other));
  const printing = { showManagedFields: options.showManagedFields, headers: options.headers };
  const layout = new ColumnLayout();
  const rowsText = (events: readonly JsonObject[], headers: boolean) =>
    layout.text([
      ...(headers && options.headers ? [eventHeaders(options)] : []),
      ...events.map((event) => eventCells(event, options, session.io.now())),
    ]);
  if (options.watch) {
    const printer = format && new ObjectPrinter(format, printing);
    const write = (events: readonly JsonObject[], headers: boolean) =>
      session.write(
        printer === undefined
          ? rowsText(events, headers)
          : shownOn(session, events.map((event) => printer.text(event)).join("")),
      );
    write(found, true);
    await follower.changes(
      {
        changed: ({ type: change, object }) => {
          if (change !== "DELETED" && isShown(object)) write([object], false);
        },
        relisted: () => {},
        interrupted: () => {},
      },
      session.signal,
    );
    return;
  }
  if (format !== undefined) {
    const printer = new ListPrinter(format, printing);
    session.write(shownOn(session, printer.items(found) + printer.end()));
  } else if (found.length > 0) session.write(rowsText(found, true));
  else session.tell(options.allNamespaces ? "No events found." : `No events found in ${session.namespace} namespace.`);
}

function typesOf(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const names = text.split(",").map((each) => each.trim().toLowerCase());
  const known: readonly string[] = TYPES.map((each) => each.toLowerCase());
  const wrong = names.find((each) => !known.includes(each));
  if (wrong !== undefined) throw new CliError("valid --types are Normal or Warning");
  return new Set(names);
}

/** Returns the field selector of the events of an object. */
async function selectorOf(session: Session, text: string): Promise<string> {
  const [resource = "", name = "", ...rest] = text.split("/");
  if (resource === "" || name === "" || rest.length > 0) throw new CliError("--for must be in resource/name form");
  const { kind, group, version } = await (await session.catalog()).forName(resource);
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return `involvedObject.apiVersion=${apiVersion},involvedObject.kind=${kind},involvedObject.name=${name}`;
}

/** Returns the events of an object, in the order of their time. */
export async function eventsOf(session: Session, object: JsonObject): Promise<readonly JsonObject[]> {
  const { uid, namespace, name } = isObject(object["metadata"]) ? object["metadata"] : {};
  const catalog = await session.catalog();
  const type = await catalog.forKind("v1", "Event");
  const all = catalog.client.resource(type);
  const fieldSelector = `involvedObject.name=${String(name)},involvedObject.uid=${String(uid)}`;
  const where = typeof namespace === "string" ? all.namespace(namespace) : all;
  const found: JsonObject[] = [];
  for await (const event of where.all({ fieldSelector, signal: session.signal })) found.push(event);
  return found.sort((one, other) => timeOf(one) - timeOf(other));
}
