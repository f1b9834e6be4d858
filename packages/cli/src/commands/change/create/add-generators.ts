// The generators as subcommands of `create`.
import type { DiscoveredResource } from "@orch/client";
import { nameOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import type { Session } from "../../../session/session";
import type { Target } from "../targets";
import { ACCESS_GENERATORS } from "./access-generators";
import { CORE_GENERATORS } from "./core-generators";
import type { Generator, Input } from "./generator";
import { NETWORK_GENERATORS } from "./network-generators";
import { WORKLOAD_GENERATORS } from "./workload-generators";

const GENERATORS = [...CORE_GENERATORS, ...WORKLOAD_GENERATORS, ...NETWORK_GENERATORS, ...ACCESS_GENERATORS];

/** Groups of generators, with what their names stand for. */
const GROUPS: Readonly<Record<string, { readonly summary: string; readonly aliases: readonly string[] }>> = {
  secret: { summary: "create a secret", aliases: [] },
  service: { summary: "create a service", aliases: ["svc"] },
};

export type CreateOne = (target: Target, options: Readonly<Record<string, unknown>>) => Promise<void>;

/** Adds a subcommand per generator. @param createOne creates the object that a generator made */
export function addGenerators(create: Command, session: Session, createOne: CreateOne): void {
  const groups = new Map<string, Command>();
  for (const generator of GENERATORS) {
    const words = generator.words.split(" ");
    const [group = "", own] = words;
    addGenerator(own === undefined ? create : groupCommand(create, groups, group), words.at(-1) as string, {
      generator,
      session,
      createOne,
    });
  }
}

function groupCommand(create: Command, groups: Map<string, Command>, name: string): Command {
  const found = groups.get(name);
  if (found !== undefined) return found;
  const { summary = "", aliases = [] } = GROUPS[name] ?? {};
  const command = subcommand(create, name).description(summary).aliases(aliases);
  groups.set(name, command);
  return command;
}

const subcommand = (parent: Command, name: string): Command =>
  parent.command(name).exitOverride().helpCommand(false).showHelpAfterError(false);

function addGenerator(
  parent: Command,
  word: string,
  {
    generator,
    session,
    createOne,
  }: { readonly generator: Generator; readonly session: Session; readonly createOne: CreateOne },
): void {
  const command = subcommand(parent, word)
    .description(generator.summary)
    .aliases(generator.aliases ?? []);
  const [first = "<name>", ...others] = (generator.usage ?? "<name>").split(" ");
  for (const each of [first, ...others]) command.argument(each);
  generator.options?.(command);
  command.action(async (name: string, ...more: unknown[]) => {
    const [rest] = more;
    const options = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
    const input: Input = { name, rest: Array.isArray(rest) ? (rest as string[]) : [], options, session };
    await createOne(await generated(input, generator), options);
  });
}

async function generated(input: Input, generator: Generator): Promise<Target> {
  const { session, options } = input;
  if (generator.resource !== undefined && options["dryRun"] === "client") {
    const object = await generator.build(input);
    return targetOf(session, knownType(generator.resource, object), object);
  }
  const catalog = await session.catalog();
  const object = await generator.build({ ...input, names: await session.vocabulary(), catalog });
  return targetOf(session, await catalog.forKind(String(object["apiVersion"]), String(object["kind"])), object);
}

/** Returns the type of an object whose kind all servers have. */
function knownType(resource: string, object: JsonObject): DiscoveredResource {
  const kind = String(object["kind"]);
  const [version = "", group = ""] = String(object["apiVersion"]).split("/").reverse();
  const lists = { singular: kind.toLowerCase(), shortNames: [], categories: [], verbs: ["create"], subresources: [] };
  return { group, version, kind, resource, namespaced: kind !== "Namespace", ...lists };
}

function targetOf(session: Session, type: DiscoveredResource, object: JsonObject): Target {
  if (!type.namespaced) return { type, namespace: undefined, name: nameOf(object), object, source: undefined };
  const { namespace } = session;
  const isNamed = session.options.namespace !== undefined;
  const metadata = { ...(object["metadata"] as JsonObject), ...(isNamed ? { namespace } : {}) };
  return { type, namespace, name: nameOf(object), object: { ...object, metadata }, source: undefined };
}
