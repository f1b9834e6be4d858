// `orch import`: the objects of an export, into this server.
import { type Command, Option } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { KindChoice } from "./chosen-kinds";
import { ImportJournal } from "./import-journal";
import { type ImportOptions, ObjectImport } from "./import-objects";
import { ImportReport } from "./import-report";
import { ImportTarget } from "./import-target";
import { openArchive } from "./read-archive";
import { ObjectTranslation } from "./translate-object";

interface Options extends Omit<ImportOptions, "namespace"> {
  readonly kinds?: string;
  readonly exclude?: string;
}

const PARALLEL = 16;
const PARALLEL_MAX = 256;

const EXAMPLES = `
Examples:
  # What would happen
  orch import backup/ --dry-run

  # All objects; objects that exist and differ are replaced
  orch import backup/ --existing=update

  # One namespace, with the status of its objects
  orch import backup/ -n shop --status

Definitions of custom resources come first, then namespaces, then the rest; objects follow their owners, and owner
references get the UIDs of this server. Names of the other vocabulary (groups, labels, annotations, finalizers, users,
signers, types of secrets) become those of this server. UIDs, versions, creation times, allocated addresses and tokens are
those of this server. An import that was stopped continues when it is repeated.`;

export function define(command: Command, session: Session): void {
  command
    .argument("<path>", "folder or file that orch export has written")
    .option("--kinds <names>", "only these resources, separated by commas")
    .option("--exclude <names>", "all but these resources")
    .option("-l, --selector <selector>", "only objects with these labels")
    .addOption(
      new Option("--existing <policy>", "objects that exist and differ: skip, update, or fail")
        .choices(["skip", "update", "fail"])
        .default("skip"),
    )
    .option("--dry-run", "ask the server what would happen, and change nothing")
    .option("--status", "also write the status of the objects")
    .option("--finished", "also import pods and jobs that have ended, which run again")
    .option("--keep-cluster-ips", "keep the addresses of services")
    .option("--keep-node-ports", "keep the node ports of services")
    .option("--managed-fields", "keep the field managers, if they were exported")
    .addOption(
      new Option("--parallel <number>", "number of requests at the same time").argParser(parallelOf).default(PARALLEL),
    )
    .addHelpText("after", EXAMPLES);
  command.action((path: string, options: Options) => runImport(session, path, options));
}

async function runImport(session: Session, path: string, options: Options): Promise<void> {
  const archive = openArchive(path);
  const { kinds, vocabulary } = archive.head;
  const choice = new KindChoice(options, kinds);
  const target = new ImportTarget(await session.catalog(), session.signal);
  const dryRun = options.dryRun === true;
  const journal = new ImportJournal(archive.journalStart, await target.identity(session.connection.server), {
    isKept: !dryRun,
  });
  if (journal.size > 0) session.write(`an import was stopped after ${journal.size} objects, and continues\n`);
  const translation =
    vocabulary === target.names.name ? undefined : new ObjectTranslation(vocabulary, target.names.name);
  const chosen = kinds.filter((kind) => choice.includes(kind));
  const total = chosen.reduce((sum, kind) => sum + archive.places(kind).length, 0);
  const report = new ImportReport(session, { dryRun, total });
  let isComplete = false;
  try {
    const { namespace } = session.options;
    const run = new ObjectImport({ session, archive, target, journal, report, translation }, { ...options, namespace });
    await run.run(chosen);
    report.finish(translation?.kept ?? new Map());
    isComplete = report.isComplete;
  } finally {
    report.end();
    journal.close(isComplete);
  }
}

function parallelOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= PARALLEL_MAX) return number;
  throw new CliError(`--parallel: ${JSON.stringify(text)} is not a number from 1 to ${PARALLEL_MAX}`);
}
