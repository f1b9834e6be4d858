// `orch describe`: an object of any kind as a person reads it, with its owners, what it owns, its field managers, why its
// deletion does not finish, and its events.
import type { DiscoveredResource } from "@orch/client";
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { isTable, TABLE_ACCEPT } from "../../output/server-table";
import { collected } from "../../process/global-options";
import { addKustomize } from "../../resources/kustomize";
import type { Session } from "../../session/session";
import { describedText, type Surroundings } from "./describe/described-text";
import type { Question } from "./describe/kind-view";
import { viewOf } from "./describe/kind-views";
import { eventsOf } from "./events";
import { itemsOfList } from "./get/get-options";
import { pathOf, readPages } from "./get/read-pages";
import { type Selection, type Target, targetsOf } from "./get/targets";
import { type Related, relatedObjects } from "./related";

interface Options extends Selection {
  readonly showEvents: string;
  readonly showDependents: string;
  readonly chunkSize: number;
}

const PAGE_ITEMS = 500;
const EXAMPLES = `
Examples:
  orch describe pod web
  orch describe deployments -l app=shop
  orch describe crontabs.example.com nightly

A name that no object has stands for all objects whose names begin with it.`;

export function define(command: Command, session: Session): void {
  command
    .argument("[resources...]", "TYPE [NAME...], or TYPE/NAME...")
    .option("-A, --all-namespaces", "objects of all namespaces")
    .option("-l, --selector <query>", "only objects with these labels")
    .option("-f, --filename <path>", "objects of this file, folder or URL; may be repeated", collected)
    .option("-R, --recursive", "also read the folders within the folders of -f")
    .option("--show-events <bool>", "show the events of the object", "true")
    .option("--show-dependents <bool>", "count the objects that the object owns", "true")
    .option("--chunk-size <number>", "objects of a page; 0: all in one answer", Number, PAGE_ITEMS)
    .addHelpText("after", EXAMPLES);
  addKustomize(command);
  command.action(async (words: readonly string[], options: Options) => {
    const errors: unknown[] = [];
    const targets = await targetsOf(session, words, options, errors);
    const described = new Description(session, options);
    for (const target of targets) {
      try {
        for await (const object of objectsOf(session, target, options)) await described.write(target.type, object);
      } catch (error) {
        if (session.signal.aborted) throw error;
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors);
    if (described.count === 0) {
      session.tell(
        options.allNamespaces ? "No resources found" : `No resources found in ${session.namespace} namespace.`,
      );
    }
  });
}

/** Yields the objects of a target; for a name that no object has, those whose names begin with it. */
async function* objectsOf(
  session: Session,
  target: Target,
  { selector, chunkSize }: Options,
): AsyncGenerator<JsonObject, void, undefined> {
  const client = await session.client();
  const reading = { labelSelector: selector, limit: chunkSize, signal: session.signal };
  if (target.name === undefined) {
    for await (const page of readPages(client, target, reading)) yield* itemsOfList(target, page);
    return;
  }
  try {
    for await (const object of readPages(client, target, reading)) yield object;
  } catch (error) {
    if (!isCode(error, 404)) throw error;
    const { name, ...list } = target;
    let count = 0;
    for await (const page of readPages(client, list, reading)) {
      for (const item of itemsOfList(list, page)) {
        if (!isObject(item["metadata"]) || !String(item["metadata"]["name"]).startsWith(name)) continue;
        count += 1;
        yield item;
      }
    }
    if (count === 0) throw error;
  }
}

/** Writes the objects, one after the other. */
class Description {
  count = 0;
  private readonly related = new Map<string, Promise<Related>>();

  constructor(
    private readonly session: Session,
    private readonly options: Options,
  ) {}

  async write(type: DiscoveredResource, object: JsonObject): Promise<void> {
    const { session } = this;
    const around = await this.surroundingsOf(type, object);
    session.write(`${this.count > 0 ? "\n\n" : ""}${describedText(object, around, session.io.now())}`);
    this.count += 1;
  }

  private async surroundingsOf(type: DiscoveredResource, object: JsonObject): Promise<Surroundings> {
    const { session, options } = this;
    const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
    const namespace = typeof metadata["namespace"] === "string" ? metadata["namespace"] : undefined;
    const isTried = options.showDependents !== "false" && namespace !== undefined;
    const names = await session.vocabulary();
    const view = viewOf(type, names);
    const [found, columns, events, related] = await Promise.all([
      this.answersOf(view?.questions?.(object, names) ?? [], namespace),
      view === undefined ? this.columnsOf({ type, namespace, name: String(metadata["name"]) }) : [],
      options.showEvents === "false" ? undefined : eventsOf(session, object).catch(() => undefined),
      isTried ? this.relatedIn(namespace) : undefined,
    ]);
    return {
      view,
      found,
      columns,
      events,
      dependents: related?.byOwner.get(String(metadata["uid"])) ?? (related && []),
    };
  }

  /** Returns the answers to the questions of a view, without those that the server or its rules refuse. */
  private async answersOf(
    questions: readonly Question[],
    namespace: string | undefined,
  ): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
    const { session } = this;
    const found = new Map<string, readonly JsonObject[]>();
    for (const { name, resource, allNamespaces, isWanted = () => true, ...selection } of questions) {
      try {
        const catalog = await session.catalog();
        const list = catalog.client.resource(await catalog.forName(resource));
        const place = allNamespaces === true || namespace === undefined ? list : list.namespace(namespace);
        const objects: JsonObject[] = [];
        for await (const object of place.all({ ...selection, dropsManagedFields: true, signal: session.signal }))
          if (isWanted(object)) objects.push(object);
        found.set(name, objects);
      } catch (error) {
        if (session.signal.aborted) throw error;
      }
    }
    return found;
  }

  /** Returns the columns that the server shows of the object. */
  private async columnsOf(target: Target): Promise<readonly (readonly [string, unknown])[]> {
    const client = await this.session.client();
    try {
      const table: unknown = await client.requestJson({
        method: "GET",
        path: pathOf(target, {}),
        accept: TABLE_ACCEPT,
      });
      if (!isTable(table)) return [];
      const cells = table.rows?.[0]?.cells ?? [];
      return (table.columnDefinitions ?? []).map(({ name }, at) => [name, cells[at]] as const);
    } catch {
      return [];
    }
  }

  private relatedIn(namespace: string): Promise<Related> {
    const known = this.related.get(namespace) ?? relatedObjects(this.session, namespace);
    this.related.set(namespace, known);
    return known;
  }
}
