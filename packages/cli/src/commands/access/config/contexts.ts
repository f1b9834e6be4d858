// Contexts of the configuration: list, choose, rename and delete them. Sources: kubectl/pkg/cmd/config/.
import type { ClientConfiguration } from "@orch/client";
import { deleteEntry as deleteFrom, ENTRY_FIELD, type EntryList } from "../../../connection/configuration-entries";
import { ConfigurationFiles } from "../../../connection/configuration-files";
import { columnText, visible } from "../../../output/columns";
import { CliError } from "../../../process/cli-error";
import { likelyText } from "../../../process/likely-text";
import type { Session } from "../../../session/session";

export function getContexts(
  session: Session,
  names: readonly string[],
  { headers, output }: { readonly headers: boolean; readonly output?: string },
): void {
  const { contexts, currentContext: current } = new ConfigurationFiles(session).load();
  const unknown = names.filter((name) => !contexts.has(name));
  const shown = names.length === 0 ? [...contexts.keys()].sort() : names.filter((name) => contexts.has(name));
  if (output === "name") session.write(shown.map((name) => `${visible(name)}\n`).join(""));
  else {
    const head = headers ? [["CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"]] : [];
    const rows = shown.map((name) => {
      const { cluster = "", user = "", namespace = "" } = contexts.get(name) ?? {};
      return [name === current ? "*" : "", name, cluster, user, namespace].map(visible);
    });
    session.write(columnText([...head, ...rows]));
  }
  for (const name of unknown) {
    session.tell(`error: context ${visible(name)} not found`);
    session.exitCode = 1;
  }
}

export function getNames(session: Session, list: "clusters" | "users"): void {
  const names = [...new ConfigurationFiles(session).load()[list].keys()].sort();
  session.write(["NAME", ...names].map((name) => `${visible(name)}\n`).join(""));
}

export function currentContext(session: Session): void {
  const { currentContext: current } = new ConfigurationFiles(session).load();
  if (current === "") throw new CliError("current-context is not set");
  session.write(`${visible(current)}\n`);
}

export async function useContext(session: Session, name: string): Promise<void> {
  const files = new ConfigurationFiles(session);
  const { contexts } = files.load();
  if (!contexts.has(name)) throw noContext(name, { contexts });
  await files.setCurrentContext(name);
  session.write(`Switched to context ${JSON.stringify(name)}.\n`);
}

const noContext = (name: string, { contexts }: Pick<ClientConfiguration, "contexts">): CliError =>
  new CliError(`no context exists with the name: ${JSON.stringify(name)}${likelyText(name, [...contexts.keys()])}`);

export async function renameContext(session: Session, name: string, newName: string): Promise<void> {
  const files = new ConfigurationFiles(session);
  const { contexts, currentContext: current } = files.load();
  const path = files.defaultPath;
  if (newName === "") throw new CliError("You must specify a new non-empty context name");
  if (!contexts.has(name)) {
    const likely = likelyText(name, [...contexts.keys()]);
    throw new CliError(`cannot rename the context ${JSON.stringify(name)}, it's not in ${path}${likely}`);
  }
  if (contexts.has(newName)) {
    const [one, other] = [name, newName].map((each) => JSON.stringify(each));
    throw new CliError(`cannot rename the context ${one}, the context ${other} already exists in ${path}`);
  }
  await files.changeEntry("contexts", name, (file) => file.renameContext(name, newName));
  if (current === name && files.load().currentContext === name) await files.setCurrentContext(newName);
  session.write(`Context ${JSON.stringify(name)} renamed to ${JSON.stringify(newName)}.\n`);
}

export async function deleteEntry(session: Session, list: EntryList, name: string): Promise<void> {
  const files = new ConfigurationFiles(session);
  const configuration = files.load();
  const kind = ENTRY_FIELD[list];
  const path = files.pathOf(list, name);
  if (!configuration[list].has(name)) {
    const likely = likelyText(name, [...configuration[list].keys()]);
    throw new CliError(`cannot delete ${kind} ${name}, not in ${path}${likely}`);
  }
  if (list === "contexts" && configuration.currentContext === name) {
    session.tell('warning: this removed your active context, use "orch config use-context" to select a different one');
  }
  await files.changeEntry(list, name, (file) => deleteFrom(file, list, name));
  session.write(`deleted ${kind} ${visible(name)} from ${path}\n`);
}
