// `orch export`: all objects of a server, in a folder or a file.

import type { DiscoveredResource } from "@orch/client";
import { isCode, StatusError } from "@orch/machinery";
import { isObject } from "@orch/schema";
import { type Command, Option } from "commander";
import { metadataOf } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { Progress } from "../../terminal/progress";
import { type ArchivedKind, type ArchiveHead, FORMAT, FORMAT_VERSION, kindName } from "./archive-form";
import { KindChoice } from "./chosen-kinds";
import { kindLeftOut, objectLeftOut } from "./left-out";
import { readObjects } from "./read-objects";
import { type ArchiveWriter, type FileFormat, FileWriter, FolderWriter } from "./write-archive";

interface Options {
  readonly kinds?: string;
  readonly exclude?: string;
  readonly selector?: string;
  readonly format: FileFormat;
  readonly everything?: boolean;
  readonly managedFields?: boolean;
  readonly overwrite?: boolean;
}

const EXAMPLES = `
Examples:
  # All objects, a file for each, and later into another server
  orch export backup/
  orch import backup/ --context other

  # Deployments and ConfigMaps of a namespace, in one file of JSON lines
  orch export shop.jsonl -n shop --kinds deployments,configmaps

Left out by default: events, leases, certificate signing requests, allocated addresses, tokens of service accounts, what
every server makes for itself (such as the service of the API server), and objects that are being deleted. An export that
was stopped continues when it is repeated.`;

export function define(command: Command, session: Session): void {
  command
    .argument("<path>", "folder, or file with the ending .jsonl")
    .option("--kinds <names>", "only these resources, separated by commas")
    .option("--exclude <names>", "all but these resources")
    .option("-l, --selector <selector>", "only objects with these labels")
    .addOption(
      new Option("--format <format>", "format of the files in a folder").choices(["yaml", "json"]).default("yaml"),
    )
    .option("--everything", "also export what is left out by default")
    .option("--managed-fields", "keep metadata.managedFields")
    .option("--overwrite", "replace an export in the same place")
    .addHelpText("after", EXAMPLES);
  command.action((path: string, options: Options) => new Export(session, options).run(path));
}

class Export {
  private readonly leftOut = new Map<string, number>();
  private objects = 0;
  private failures = 0;

  constructor(
    private readonly session: Session,
    private readonly options: Options,
  ) {}

  async run(path: string): Promise<void> {
    const { session, options } = this;
    const catalog = await session.catalog();
    const all = preferred(await catalog.all({ isFresh: true }));
    for (const { groupVersion, error } of await catalog.failures()) {
      this.failed(groupVersion, error);
    }
    const kinds = await this.chosen(all);
    const head: ArchiveHead = {
      format: FORMAT,
      version: FORMAT_VERSION,
      vocabulary: catalog.client.vocabulary,
      server: session.connection.server,
      release: await this.release(),
      selection: JSON.stringify([
        options.kinds,
        options.exclude,
        options.selector,
        session.options.namespace,
        options.everything,
      ]),
      kinds: kinds.map(archived),
    };
    const writer = writerFor(path, head, options);
    const progress = new Progress(session.io, { label: "resources", total: kinds.length });
    for (const kind of kinds) {
      const line = await this.kind(kind, writer);
      progress.advance();
      if (line !== undefined) progress.write(line);
    }
    progress.end();
    if (this.failures > 0 && !(writer instanceof FolderWriter)) {
      throw new CliError(`the export is not complete (${this.failures} resources failed), and ${path} was not written`);
    }
    writer.finish();
    this.report(path);
  }

  private async chosen(all: readonly DiscoveredResource[]): Promise<readonly DiscoveredResource[]> {
    const { session, options } = this;
    const names = await session.vocabulary();
    const choice = new KindChoice(options, all);
    return all.filter((kind) => {
      if (!choice.includes(kind)) return false;
      // With a namespace, only its objects and itself.
      if (session.options.namespace !== undefined && !kind.namespaced && !isNamespaces(kind)) return false;
      if (choice.names(kind) && kind.verbs.includes("list")) return true;
      const why = kindLeftOut(kind, all, names);
      return why === undefined || (options.everything === true && kind.verbs.includes("list"));
    });
  }

  /** Exports a resource. @returns the line of the report */
  private async kind(kind: DiscoveredResource, writer: ArchiveWriter): Promise<string | undefined> {
    const { session, options } = this;
    const name = kindName(kind);
    if (writer.isComplete(archived(kind))) return `${name}: exported before\n`;
    const names = await session.vocabulary();
    const { namespace } = session.options;
    let count = 0;
    let out = new Map<string, number>();
    try {
      const selection = { namespace, labelSelector: options.selector, signal: session.signal };
      await readObjects(await session.client(), kind, selection, {
        begin: () => {
          writer.begin(archived(kind));
          count = 0;
          out = new Map();
        },
        add: (object) => {
          if (isNamespaces(kind) && namespace !== undefined && metadataOf(object)["name"] !== namespace) return;
          const why = options.everything === true ? undefined : objectLeftOut(object, names);
          if (why !== undefined) {
            out.set(why, (out.get(why) ?? 0) + 1);
            return;
          }
          const { metadata } = object;
          if (options.managedFields !== true && isObject(metadata)) delete metadata["managedFields"];
          writer.add(object);
          count += 1;
        },
      });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // A resource whose definition was deleted meanwhile has no objects.
      if (!isCode(error, 404)) {
        this.failed(name, error);
        return undefined;
      }
    }
    writer.end(archived(kind));
    this.objects += count;
    for (const [why, number] of out) this.leftOut.set(why, (this.leftOut.get(why) ?? 0) + number);
    return count > 0 ? `${name}: ${count}\n` : undefined;
  }

  private failed(what: string, error: Error): void {
    this.failures += 1;
    this.session.exitCode = 1;
    this.session.tell(`error: ${what}: ${error.message}`);
  }

  private report(path: string): void {
    const { session, failures } = this;
    session.write(`${this.objects} objects exported to ${path}\n`);
    for (const [why, count] of this.leftOut) session.write(`left out: ${count} (${why})\n`);
    if (failures > 0) session.tell(`error: ${failures} resources failed: repeat the command to export them`);
  }

  private async release(): Promise<string> {
    const version = await (await this.session.client()).getJson("/version");
    return isObject(version) ? String(version["gitVersion"]) : "";
  }
}

function writerFor(path: string, head: ArchiveHead, options: Options): ArchiveWriter {
  const overwrite = options.overwrite === true;
  return /\.jsonl?$/.test(path)
    ? new FileWriter(path, head, { overwrite })
    : new FolderWriter(path, head, { format: options.format, overwrite });
}

/** Returns each resource once, in the preferred version of its group. */
function preferred(all: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  const seen = new Set<string>();
  return all.filter((kind) => {
    const name = kindName(kind);
    return !seen.has(name) && seen.add(name) !== undefined;
  });
}

const isNamespaces = ({ group, resource }: DiscoveredResource): boolean => group === "" && resource === "namespaces";

const archived = ({
  resource,
  group,
  version,
  kind,
  namespaced,
  singular,
  shortNames,
}: DiscoveredResource): ArchivedKind => ({
  resource,
  group,
  version,
  kind,
  namespaced,
  singular,
  shortNames,
});
