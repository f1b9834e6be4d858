// `orch set env`: environment variables of containers. Source: kubectl/pkg/cmd/set/set_env.go.
import { isObject, type JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { visible } from "../../../output/columns";
import { CliError } from "../../../process/cli-error";
import { separated } from "../../../process/global-options";
import { readText } from "../../../resources/manifests";
import type { Session } from "../../../session/session";
import { addSwitch } from "../options";
import { chosenTargets, liveObject, type Target } from "../targets";
import { addShared, changeAll, type SetOptions, splitPairs } from "./container-changes";
import { type Container, isChosen } from "./pod-template";

interface Options extends SetOptions {
  readonly env?: readonly string[];
  readonly from?: string;
  readonly keys?: readonly string[];
  readonly prefix?: string;
  readonly overwrite: boolean;
  readonly list: boolean;
}

type Variable = JsonObject & { readonly name: string };

const WORDS = "resources and names, such as deployment/shop, then the changes NAME=VALUE or NAME-; -: standard input";

export function addEnv(command: Command, session: Session): void {
  command.description("set and remove environment variables of containers").argument("[words...]", WORDS);
  addShared(command);
  command
    .option("-c, --containers <pattern>", "only containers of this name; * stands for any characters", "*")
    .option("-e, --env <name=value>", "a variable; may be repeated", (text: string, before: readonly string[] = []) => [
      ...before,
      text,
    ])
    .option("--from <resource/name>", "take the variables from the keys of a config map or secret")
    .option("--keys <name,...>", "only these keys of --from", separated)
    .option("--prefix <text>", "put this before the names of the variables");
  addSwitch(command, "--overwrite", "change variables that have another value", true);
  addSwitch(command, "--list", "print the variables, and change nothing");
  command.action((words: string[], options: Options) => setEnv(session, words, options));
}

async function setEnv(session: Session, words: readonly string[], options: Options): Promise<void> {
  const { list, from, containers, overwrite, prefix = "" } = options;
  const { resources, pairs, removed } = splitPairs([
    ...words.filter((word) => word !== "-"),
    ...(words.includes("-") ? await linesOfInput(session, options) : []),
    ...(options.env ?? []),
  ]);
  const given: Variable[] = pairs.map(([name, value]) => ({ name, value }));
  if (from !== undefined) given.push(...(await variablesFrom(session, from, options)));
  const variables = given.map((each) => ({ ...each, name: `${prefix}${each.name}` }));
  if (!list && variables.length + removed.length === 0)
    throw new CliError("at least one environment variable must be provided");
  await changeAll(
    session,
    { resources, options },
    {
      verb: "env updated",
      change: (container, target) => {
        if (!isChosen(container.name, containers)) return undefined;
        const present = (container["env"] ?? []) as unknown as readonly Variable[];
        if (!overwrite) requireNew(present, variables);
        if (list) {
          session.write(listed(container, target, merged(present, variables, removed)));
          return undefined;
        }
        const set = variables
          .filter((one) => !present.some((other) => isSame(one, other)))
          // A variable has a value or a source: the other one is removed.
          .map((each): JsonObject => ({ ...each, ["valueFrom" in each ? "value" : "valueFrom"]: null }));
        const gone = removed
          .filter((name) => present.some((each) => each.name === name))
          .map((name) => ({ name, $patch: "delete" }));
        if (set.length + gone.length === 0) return undefined;
        const order = merged(present, variables, removed).map(({ name }) => ({ name }));
        return { name: container.name, env: [...set, ...gone], "$setElementOrder/env": order };
      },
    },
  );
}

async function linesOfInput(session: Session, { filename = [] }: Options): Promise<readonly string[]> {
  if (filename.includes("-")) throw new CliError("standard input cannot be used for multiple arguments");
  const text = await readText("-", session.io);
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** Returns a variable for each key of a config map or secret. */
async function variablesFrom(session: Session, from: string, { keys, local }: Options): Promise<readonly Variable[]> {
  if (local) throw new CliError("--from reads an object of the server, and --local asks none: use one of them");
  const { targets } = await chosenTargets(session, [from], {});
  const variables: Variable[] = [];
  for (const target of targets) {
    const { kind, group } = target.type;
    if (group !== "" || (kind !== "ConfigMap" && kind !== "Secret"))
      throw new CliError("unsupported resource specified in --from");
    const { data } = await liveObject(session, target);
    const reference = kind === "Secret" ? "secretKeyRef" : "configMapKeyRef";
    for (const key of Object.keys(isObject(data) ? data : {})) {
      if (keys !== undefined && !keys.includes(key)) continue;
      const name = key.replaceAll(/[^A-Za-z0-9_]/g, "_").toUpperCase();
      variables.push({ name, valueFrom: { [reference]: { key, name: target.name } } });
    }
  }
  return variables;
}

function requireNew(present: readonly Variable[], variables: readonly Variable[]): void {
  for (const { name } of variables) {
    const before = present.find((each) => each.name === name);
    if (before !== undefined)
      throw new CliError(`'${name}' already has a value (${String(before["value"] ?? "")}), and --overwrite is false`);
  }
}

const isSame = (one: Variable, other: Variable): boolean =>
  one.name === other.name &&
  (one["value"] ?? "") === (other["value"] ?? "") &&
  JSON.stringify(referenceOf(one)) === JSON.stringify(referenceOf(other));

/** Returns what a variable refers to: such as a key of a config map. */
function referenceOf({ valueFrom }: Variable): readonly string[] | undefined {
  if (!isObject(valueFrom)) return undefined;
  const [kind = "", reference] = Object.entries(valueFrom)[0] ?? [];
  const { key, name, fieldPath, resource } = isObject(reference) ? reference : {};
  return [kind, String(name ?? ""), String(key ?? fieldPath ?? resource ?? "")];
}

function merged(present: readonly Variable[], set: readonly Variable[], removed: readonly string[]): Variable[] {
  const named = new Map(present.map((each) => [each.name, each]));
  for (const each of set) named.set(each.name, each);
  return [...named.values()].filter(({ name }) => !removed.includes(name));
}

function listed({ name }: Container, target: Target, variables: readonly Variable[]): string {
  const lines = variables.map((each) => {
    const reference = referenceOf(each);
    return reference === undefined
      ? `${each.name}=${String(each["value"] ?? "")}`
      : `# ${each.name} from ${referenceText(reference)}`;
  });
  return [`# ${target.type.kind} ${target.name}, container ${name}`, ...lines]
    .map((line) => `${visible(line)}\n`)
    .join("");
}

function referenceText([kind = "", name = "", key = ""]: readonly string[]): string {
  if (kind === "configMapKeyRef") return `configmap ${name}, key ${key}`;
  if (kind === "secretKeyRef") return `secret ${name}, key ${key}`;
  return kind === "fieldRef" ? `field path ${key}` : `resource field ${key}`;
}
