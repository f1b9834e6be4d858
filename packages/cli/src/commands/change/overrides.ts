// `--overrides`: a patch of an object that a command has made, before it is sent.
import type { PatchType } from "@orch/client";
import { type JsonObject, type JsonValue, parseYaml, YamlError } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { locallyPatched, vocabularyOfKind } from "./local-objects";
import { addChoice } from "./options";
import type { Target } from "./targets";

export interface OverrideOptions {
  readonly overrides?: string;
  readonly overrideType: PatchType;
}

export function addOverrides(command: Command): Command {
  command.option("--overrides <patch>", "a patch of the object before it is created, as JSON or YAML");
  return addChoice(command, "--override-type", {
    description: "form of --overrides",
    values: ["merge", "strategic", "json"],
    initial: "merge",
  });
}

/** Returns the target with the patched object. @throws CliError for a patch that is not of its form */
export function overridden(target: Target, { overrides, overrideType: type }: OverrideOptions): Target {
  if (overrides === undefined) return target;
  const before = target.object as JsonObject;
  const patch = parsed(overrides);
  if (Array.isArray(patch) !== (type === "json") || patch === null || typeof patch !== "object") {
    throw new CliError(`--overrides: a patch of the type ${type} is ${type === "json" ? "a list" : "an object"}`);
  }
  return { ...target, object: locallyPatched(vocabularyOfKind(target), { target, before, patch, type }) };
}

function parsed(text: string): JsonValue {
  try {
    return parseYaml(text).value as JsonValue;
  } catch (error) {
    if (error instanceof YamlError) throw new CliError(`--overrides: ${error.why}`);
    throw error;
  }
}
