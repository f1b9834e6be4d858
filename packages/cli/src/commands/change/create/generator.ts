// The form of a generator: `orch create KIND NAME` with options instead of a file.
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Catalog } from "../../../resources/catalog";
import type { Session } from "../../../session/session";

interface GeneratorForm {
  /** Words after `create`, such as `secret generic`. */
  readonly words: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Arguments. Default: `<name>`. */
  readonly usage?: string;
  readonly options?: (command: Command) => void;
}

type Build<T> = (given: T) => JsonObject | Promise<JsonObject>;

export type Generator = GeneratorForm &
  (
    | {
        /** Resource of the kind. The object is the same for all servers: `--dry-run=client` needs none. */
        readonly resource: string;
        readonly build: Build<Input>;
      }
    | { readonly resource?: undefined; readonly build: Build<Given> }
  );

/** Input of a generator that needs no server. */
export interface Input {
  readonly name: string;
  /** Words after the name. */
  readonly rest: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly session: Session;
}

/** Input of a generator whose object depends on the server. */
export interface Given extends Input {
  readonly names: Vocabulary;
  readonly catalog: Catalog;
}

/** Returns an option with one value. */
export function textOf({ options }: Input, key: string): string | undefined {
  const value = options[key];
  return typeof value === "string" ? value : undefined;
}

export function listOf({ options }: Input, key: string): readonly string[] {
  const value = options[key];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export const isOn = ({ options }: Input, key: string): boolean => options[key] === true;

/** Returns an option that must be given. @param flag such as `--image` */
export function required(given: Input, key: string, flag: string): string {
  const value = textOf(given, key);
  if (value !== undefined && value !== "") return value;
  throw new CliError(`required flag(s) "${flag.replace(/^--/, "")}" not set`);
}

/** Returns an option that is an integer. */
export function integerOf(given: Input, key: string, flag: string): number | undefined {
  const value = textOf(given, key);
  if (value === undefined) return undefined;
  if (/^-?\d+$/.test(value)) return Number(value);
  throw new CliError(`${flag}: ${JSON.stringify(value)} is not an integer`);
}

/** Reads `k=v,k2=v2`. */
export function pairsOf(text: string, flag: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const each of text.split(",").filter((part) => part !== "")) {
    const at = each.indexOf("=");
    if (at < 1) throw new CliError(`${flag}: ${JSON.stringify(each)} is not of the form KEY=VALUE`);
    pairs[each.slice(0, at)] = each.slice(at + 1);
  }
  return pairs;
}

export const metadataOf = ({ name }: Input, more: JsonObject = {}): JsonObject => ({ name, ...more });
