// The formats of `-o` that print whole objects or parts of them. Source: kubectl's reference, "Output options".
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { CliError } from "../process/cli-error";
import { type CustomColumn, customColumns, customColumnsOfFile } from "./custom-columns";
import { outputOption } from "./format";
import { parseTemplate, type TemplatePart } from "./path-template";

export type ObjectFormat =
  | { readonly kind: "json" | "yaml" | "name" }
  | {
      readonly kind: "jsonpath";
      readonly template: string;
      readonly parts: readonly TemplatePart[];
      /** Prints what is found as a list of JSON. */
      readonly asJson: boolean;
      readonly allowMissingKeys: boolean;
    }
  | { readonly kind: "custom-columns"; readonly columns: readonly CustomColumn[] };

const OBJECT_FORMATS = [
  "json",
  "yaml",
  "name",
  "jsonpath=",
  "jsonpath-as-json=",
  "jsonpath-file=",
  "custom-columns=",
  "custom-columns-file=",
] as const;

/** Options that `addFormatOptions` adds. */
export interface FormatOptions {
  readonly output?: string;
  readonly showManagedFields?: boolean;
  /** "false": a missing key is an error. */
  readonly allowMissingTemplateKeys?: string;
}

/** Adds `-o` and its companions. @param more further formats, such as `wide` */
export function addFormatOptions(command: Command, more: readonly string[] = []): Command {
  return command
    .addOption(outputOption([...OBJECT_FORMATS, ...more]))
    .option("--show-managed-fields", "keep metadata.managedFields in JSON and YAML")
    .option("--allow-missing-template-keys <bool>", "print nothing where a key of a jsonpath is missing", "true");
}

/** Returns the format of the options; undefined without `-o`, and for formats of the command itself. @throws CliError */
export function objectFormat({ output, allowMissingTemplateKeys = "true" }: FormatOptions): ObjectFormat | undefined {
  if (output === undefined) return undefined;
  const equals = output.indexOf("=");
  const kind = equals < 0 ? output : output.slice(0, equals);
  const text = equals < 0 ? "" : output.slice(equals + 1);
  switch (kind) {
    case "json":
    case "yaml":
    case "name":
      return { kind };
    case "jsonpath":
    case "jsonpath-as-json":
    case "jsonpath-file": {
      const template = kind === "jsonpath-file" ? textOf(text).replace(/\n$/, "") : text;
      if (template === "") throw new CliError(`-o ${kind}= needs a template, as in -o jsonpath='{.metadata.name}'`);
      return {
        kind: "jsonpath",
        template,
        parts: parseTemplate(template),
        asJson: kind === "jsonpath-as-json",
        allowMissingKeys: allowMissingTemplateKeys !== "false",
      };
    }
    case "custom-columns":
      return { kind, columns: customColumns(text) };
    case "custom-columns-file":
      return { kind: "custom-columns", columns: customColumnsOfFile(textOf(text)) };
    default:
      return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "no such file" : (error as Error).message;
    throw new CliError(`error reading template ${path}: ${why}`);
  }
}
