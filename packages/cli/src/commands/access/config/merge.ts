// `orch config merge`: adds the entries of another file. Entries of the same name that differ are never replaced unasked.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  type ClientConfiguration,
  changeConfiguration,
  type EditedConfiguration,
  parseConfiguration,
} from "@orch/client";
import { ENTRY_FIELD, type EntryFields, type EntryList, setEntry } from "../../../connection/configuration-entries";
import { ConfigurationFiles } from "../../../connection/configuration-files";
import { CliError } from "../../../process/cli-error";
import { fileFault } from "../../../process/file-fault";
import type { Session } from "../../../session/session";

interface MergeOptions {
  readonly overwrite?: boolean;
  readonly prefix?: string;
  readonly use?: boolean;
}

const LISTS: readonly EntryList[] = ["clusters", "users", "contexts"];

export async function merge(session: Session, file: string, options: MergeOptions): Promise<void> {
  const { overwrite = false, prefix = "", use } = options;
  const added = withPrefix(parseConfiguration(await textOf(session, file), file), prefix);
  const files = new ConfigurationFiles(session);
  const existing = files.load();
  const differing = LISTS.flatMap((list) =>
    [...added[list]]
      .filter(([name, entry]) => existing[list].has(name) && !isDeepStrictEqual(existing[list].get(name), entry))
      .map(([name]) => `${ENTRY_FIELD[list]} ${JSON.stringify(name)}`),
  );
  if (differing.length > 0 && !overwrite) {
    throw new CliError(
      `${file}: ${differing.join(", ")} exists and differs: --overwrite replaces it, --prefix=NAME- adds it under another name`,
    );
  }
  const changes = new Map<string, ((file: EditedConfiguration) => void)[]>();
  const done: string[] = [];
  for (const list of LISTS) {
    for (const [name, entry] of added[list]) {
      if (isDeepStrictEqual(existing[list].get(name), entry)) continue;
      const path = files.pathOf(list, name);
      const before = Object.keys(existing[list].get(name) ?? {}).map((field) => [field, undefined]);
      const fields: EntryFields = { ...Object.fromEntries(before), ...entry };
      const change = (edited: EditedConfiguration) => setEntry(edited, list, name, fields);
      changes.set(path, [...(changes.get(path) ?? []), change]);
      done.push(`${ENTRY_FIELD[list]} ${JSON.stringify(name)} ${existing[list].has(name) ? "replaced" : "added"}\n`);
    }
  }
  for (const [path, ofFile] of changes) {
    await changeConfiguration(path, (edited) => {
      for (const change of ofFile) change(edited);
    });
  }
  session.write(done.join(""));
  const { currentContext } = added;
  if (currentContext !== "" && (use === true || existing.currentContext === "")) {
    await files.setCurrentContext(currentContext);
    session.write(`Switched to context ${JSON.stringify(currentContext)}.\n`);
  }
}

async function textOf({ io }: Session, file: string): Promise<string> {
  try {
    if (file !== "-") return readFileSync(file, "utf8");
    const pieces: Buffer[] = [];
    for await (const piece of io.stdin as AsyncIterable<Buffer | string>) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString("utf8");
  } catch (error) {
    throw new CliError(fileFault(error, file));
  }
}

function withPrefix(configuration: ClientConfiguration, prefix: string): ClientConfiguration {
  if (prefix === "") return configuration;
  const named = <T>(entries: ReadonlyMap<string, T>) =>
    new Map([...entries].map(([name, each]) => [prefix + name, each]));
  const { clusters, users, contexts, currentContext } = configuration;
  const pointed = [...contexts].map(([name, context]) => [
    name,
    {
      ...context,
      ...(context.cluster && { cluster: prefix + context.cluster }),
      ...(context.user && { user: prefix + context.user }),
    },
  ]) as [string, typeof contexts extends ReadonlyMap<string, infer C> ? C : never][];
  return {
    clusters: named(clusters),
    users: named(users),
    contexts: named(new Map(pointed)),
    currentContext: currentContext === "" ? "" : prefix + currentContext,
  };
}
