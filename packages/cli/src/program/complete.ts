// Candidates for the completion of a command line in a shell. Names of objects come from the server, within a short time;
// every failure gives no candidates. The answer has the form of cobra's, which kubectl expects of its plugins.
import { Command, type Option } from "commander";
import { configurationOf } from "../connection/connection";
import { addGlobalOptions, type GlobalOptions, globalOptions } from "../process/global-options";
import type { Io } from "../process/io";
import { deletedObjects, recordedWrites } from "../resources/object-history";
import { resourceRequests } from "../resources/resource-arguments";
import { Session } from "../session/session";
import { COMMANDS } from "./every-command";

interface Candidate {
  readonly text: string;
  readonly about?: string;
}

/** Flag of the answer: the shell must not offer names of files. */
const NO_FILES = 4;
const TIMEOUT_MS = 3000;
const NAMES_MAX = 500;
/** Commands whose arguments name resources, and those whose first argument is a pod. */
const RESOURCE_COMMANDS = new Set(
  "annotate delete describe edit explain get history label patch protect rollback scale top tree undelete wait".split(
    " ",
  ),
);
/** Commands with an option whose value is the resource version of a state of the object that the arguments name. */
const STATE_COMMANDS = new Set(["history", "rollback", "undelete"]);
const STATE_OPTIONS = new Set(["--revision", "--to-revision"]);
const POD_COMMANDS = new Set(["attach", "exec", "logs", "port-forward"]);

/** @param words words of the command line after the program; the last one is the one to complete */
export async function complete(words: readonly string[], io: Io): Promise<number> {
  const found = await candidatesFor(words, io).catch(() => ({ candidates: [], flags: NO_FILES }));
  const current = words.at(-1) ?? "";
  const lines = found.candidates
    .filter(({ text }) => text.startsWith(current))
    .map(({ text, about }) => (about === undefined ? text : `${text}\t${about.replaceAll(/\s+/g, " ")}`));
  io.stdout.write(`${[...lines, `:${found.flags}`].join("\n")}\n`);
  return 0;
}

interface Found {
  readonly candidates: readonly Candidate[];
  readonly flags: number;
}

async function candidatesFor(words: readonly string[], io: Io): Promise<Found> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addGlobalOptions(program);
  try {
    program.parseOptions([...before]);
  } catch {
    // A wrong value of an option is told when the command runs.
  }
  const stop = AbortSignal.timeout(TIMEOUT_MS);
  const session = new Session(io, () => ({ ...program.opts<GlobalOptions>(), requestTimeout: "3s" }), stop);
  try {
    const { command, path, positionals } = await commandIn(before, session);
    const options = [...globalOptions(), ...(command?.options ?? [])];
    const [, name, start] = /^(--[\w-]+)=(.*)$/.exec(current) ?? [];
    const previous = before.at(-1) ?? "";
    const waiting = options.find(
      (option) => takesValue(option) && [option.long, option.short].includes(name ?? previous),
    );
    if (waiting !== undefined) {
      const isState = STATE_COMMANDS.has(path) && STATE_OPTIONS.has(waiting.long ?? "");
      const found = isState ? await statesOf(positionals, session) : await valuesOf(waiting, session, io);
      if (start === undefined) return found;
      return { ...found, candidates: found.candidates.map((each) => ({ ...each, text: `${name}=${each.text}` })) };
    }
    if (current.startsWith("-")) return { candidates: options.flatMap(optionCandidates), flags: NO_FILES };
    if (command === undefined) {
      const candidates = COMMANDS.map((entry) => ({ text: entry.name, about: entry.summary }));
      return { candidates: path === "" ? candidates : [], flags: NO_FILES };
    }
    if (command.commands.length > 0 && positionals.length === 0) {
      return {
        candidates: command.commands.map((each) => ({ text: each.name(), about: each.description() })),
        flags: NO_FILES,
      };
    }
    const choices = command.registeredArguments[positionals.length]?.argChoices;
    if (choices !== undefined) return { candidates: choices.map((text) => ({ text })), flags: NO_FILES };
    return await argumentsOf(path, { positionals, current }, session);
  } finally {
    session.close();
  }
}

/** Returns the command that words name, with its subcommand, and the other words that are no options. */
async function commandIn(words: readonly string[], session: Session) {
  const positionals: string[] = [];
  let command: Command | undefined;
  let path = "";
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    const known = [...globalOptions(), ...(command?.options ?? [])];
    if (word === "--") break;
    if (word.startsWith("-") && word !== "-") {
      const option = known.find(({ long, short }) => long === word || short === word);
      if (option !== undefined && takesValue(option)) at += 1;
      continue;
    }
    if (path === "") {
      path = word;
      const entry = COMMANDS.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
      if (entry === undefined) continue;
      command = new Command(entry.name).exitOverride();
      path = entry.name;
      (await entry.load()).define(command, session);
      continue;
    }
    const next = positionals.length === 0 ? command?.commands.find((each) => each.name() === word) : undefined;
    if (next === undefined) positionals.push(word);
    else {
      command = next;
      path += ` ${word}`;
    }
  }
  return { command, path, positionals };
}

const takesValue = ({ required, optional, isBoolean, negate }: Option): boolean =>
  required || (optional && !isBoolean() && !negate);

function optionCandidates({ long, short, description, hidden }: Option): Candidate[] {
  if (hidden) return [];
  return [long, short].flatMap((text) => (text === undefined ? [] : [{ text, about: description }]));
}

async function valuesOf({ long = "", argChoices, description }: Option, session: Session, io: Io): Promise<Found> {
  const listed = (texts: Iterable<string>): Found => ({
    candidates: [...texts].map((text) => ({ text })),
    flags: NO_FILES,
  });
  if (argChoices !== undefined) return listed(argChoices);
  if (long === "--output") return listed(description.replace(/^[^:]*: /, "").split(/[,|] ?/));
  if (long === "--vocabulary") return listed(["orch", "kubernetes"]);
  if (long === "--namespace") return listed(await namesOf("namespaces", session));
  if (["--context", "--cluster", "--user"].includes(long)) {
    const { contexts, clusters, users } = configurationOf(session.options, io.environment);
    return listed((long === "--context" ? contexts : long === "--cluster" ? clusters : users).keys());
  }
  return { candidates: [], flags: 0 };
}

interface Line {
  readonly positionals: readonly string[];
  readonly current: string;
}

async function argumentsOf(path: string, { positionals, current }: Line, session: Session): Promise<Found> {
  const [name = ""] = path.split(" ");
  const listed = (texts: readonly string[], flags = NO_FILES): Found => ({
    candidates: texts.map((text) => ({ text })),
    flags,
  });
  if (POD_COMMANDS.has(name) && positionals.length === 0) return listed(await namesOf("pods", session));
  const namesResources = RESOURCE_COMMANDS.has(name) || path.startsWith("rollout ");
  if (!namesResources) return { candidates: [], flags: 0 };
  const namesIn = name === "undelete" ? deletedNamesOf : namesOf;
  const slash = current.indexOf("/");
  if (slash > 0) {
    const resource = current.slice(0, slash);
    return listed((await namesIn(resource, session)).map((each) => `${resource}/${each}`));
  }
  const [resource] = positionals;
  if (resource !== undefined) {
    return resource.includes("/") || name === "explain" ? listed([]) : listed(await namesIn(resource, session));
  }
  const all = await (await session.catalog()).all();
  const verb = name === "delete" ? "delete" : name === "explain" ? "" : "list";
  const usable = all.filter(({ verbs }) => verb === "" || verbs.includes(verb));
  const texts = usable.map((each) => (isOnly(each, usable) ? each.resource : `${each.resource}.${each.group}`));
  return listed([...new Set(texts)].sort());
}

/** Tells whether no other group has a resource of this name. */
function isOnly(one: { readonly resource: string; readonly group: string }, all: readonly (typeof one)[]): boolean {
  return all.find(({ resource }) => resource === one.resource)?.group === one.group;
}

/** Returns names of objects of a resource, in the namespace of the command line. */
async function namesOf(resource: string, session: Session): Promise<readonly string[]> {
  const catalog = await session.catalog();
  const type = await catalog.forName(resource);
  const access = catalog.client.resource(type);
  const place = type.namespaced ? access.namespace(session.namespace) : access;
  const { items } = await place.list({ part: "metadata", limit: NAMES_MAX, signal: session.signal });
  return items.flatMap(({ metadata }) => (metadata as { readonly name?: string } | undefined)?.name ?? []);
}

/** Returns names of deleted objects of a resource: those of the first page. */
async function deletedNamesOf(resource: string, session: Session): Promise<readonly string[]> {
  const type = await (await session.catalog()).forName(resource);
  const place = { type, namespace: type.namespaced ? session.namespace : undefined };
  for await (const page of deletedObjects(session, place)) return page.map(({ name }) => name);
  return [];
}

/** Returns the resource versions of the states of the object that the arguments name, the newest first. */
async function statesOf(words: readonly string[], session: Session): Promise<Found> {
  const [request] = await resourceRequests(await session.catalog(), words);
  const [name] = request?.names ?? [];
  if (request === undefined || name === undefined) return { candidates: [], flags: NO_FILES };
  const { type } = request;
  const of = { type, namespace: type.namespaced ? session.namespace : undefined, name };
  const { items } = await recordedWrites(session, of);
  const states = items.flatMap(({ resourceVersion, replaces, change, time, user = "" }, at) => [
    // The state after a deletion does not exist, and the one before it is that of the write before, if that was recorded.
    ...(change === "deleted" ? [] : [{ text: resourceVersion, about: `${change} by ${user} at ${time}` }]),
    ...(at === items.length - 1 && replaces !== undefined ? [{ text: replaces }] : []),
  ]);
  return { candidates: states, flags: NO_FILES };
}
