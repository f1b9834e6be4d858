// `orch patch`: changes fields of objects with a patch.
import { readFileSync } from "node:fs";
import type { PatchType } from "@orch/client";
import { sameJson } from "@orch/machinery";
import { type JsonObject, type JsonValue, parseYaml, YamlError } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { fileFault } from "../../process/file-fault";
import type { Session } from "../../session/session";
import { sourcedWrite } from "./from-source";
import { locallyPatched, requireLocal, vocabularyOfKind } from "./local-objects";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import {
  addChoice,
  addDryRun,
  addFiles,
  addSelectors,
  addSwitch,
  type DryRunOption,
  type FileOptions,
  type SelectorOptions,
} from "./options";
import { addOutput, type OutcomeOptions } from "./outcome";
import { type Written, writeChosen } from "./selected-write";
import { clientOf, type Target } from "./targets";

interface Options extends FileOptions, SelectorOptions, DryRunOption, ManagerOption, OutcomeOptions {
  readonly type: PatchType;
  readonly patch?: string;
  readonly patchFile?: string;
  readonly subresource?: string;
  readonly local: boolean;
  readonly dryRun: DryRunOption["dryRun"];
}

const EXAMPLES = `
Examples:
  orch patch deployment shop -p '{"spec":{"replicas":3}}'
  orch patch configmap a --type=json -p '[{"op":"remove","path":"/data/key"}]'
  orch patch deployment shop --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`;

export function define(command: Command, session: Session): void {
  command.argument("[resources...]", "resource and name, such as deployment shop");
  addFiles(command, "patch");
  addSelectors(command);
  addChoice(command, "--type", {
    description: "form of the patch",
    values: ["strategic", "merge", "json"],
    initial: "strategic",
  });
  command
    .option("-p, --patch <patch>", "the patch, as JSON or YAML")
    .option("--patch-file <file>", "file with the patch")
    .option("--subresource <name>", "subresource to patch, such as status or scale");
  addSwitch(command, "--local", "patch the objects of the files, and ask no server");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.addHelpText("after", EXAMPLES);
  command.action(async (words: string[], options: Options) => {
    const patch = patchOf(options);
    if (options.local) requireLocal(words, options);
    await writeChosen(session, { words, options, label: "patching" }, (target) =>
      patched(session, target, { patch, options }),
    );
  });
}

function patchOf({ patch, patchFile, type }: Options): JsonValue {
  if ((patch === undefined) === (patchFile === undefined))
    throw new CliError("must specify --patch or --patch-file containing the contents of the patch");
  const source = patchFile === undefined ? "--patch" : patchFile;
  const { value } = parsed(source, patch ?? text(patchFile as string));
  if (type === "json" ? !Array.isArray(value) : value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new CliError(`${source}: a patch of the type ${type} is ${type === "json" ? "a list" : "an object"}`);
  }
  return value as JsonValue;
}

function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CliError(`unable to read patch file: ${fileFault(error, path)}`);
  }
}

function parsed(source: string, patch: string) {
  try {
    return parseYaml(patch);
  } catch (error) {
    if (error instanceof YamlError) throw new CliError(`${source}: unable to parse the patch: ${error.why}`);
    throw error;
  }
}

async function patched(
  session: Session,
  target: Target,
  { patch, options }: { readonly patch: JsonValue; readonly options: Options },
): Promise<Written> {
  const { type } = options;
  const verb = (before: JsonObject, after: JsonObject) => `patched${sameJson(before, after) ? " (no change)" : ""}`;
  if (options.local) {
    const before = target.object as JsonObject;
    const object = locallyPatched(vocabularyOfKind(target), { target, before, patch, type });
    return { verb: verb(before, object), object };
  }
  const names = await session.vocabulary();
  const client = await clientOf(session, target);
  const before = await client.get(target.name, { signal: session.signal });
  if (options.dryRun === "client") {
    const object = locallyPatched(names, { target, before, patch, type });
    return { verb: verb(before, object), object };
  }
  const object = await sourcedWrite("patching", target, () =>
    client.patch(target.name, type, patch as JsonObject, {
      ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
      dryRun: options.dryRun === "server",
      fieldManager: managerOf(names, "patch", options),
      signal: session.signal,
    }),
  );
  return { verb: verb(before, object), object };
}
