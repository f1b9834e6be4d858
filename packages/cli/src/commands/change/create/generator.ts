// The form of a generator: `orch create KIND NAME` with options instead of a file.
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Catalog } from "../../../resources/catalog";
import type { Session } from "../../../session/session";

export interface Generator {
  /** Words after `create`, such as `secret generic`. */
  readonly words: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Arguments. Default: `<name>`. */
  readonly usage?: string;
  readonly options?: (command: Command) => void;
  readonly build: (given: Given) => JsonObject | Promise<JsonObject>;
}

/** Input of a generator. */
export interface Given {
  readonly name: string;
  /** Words after the name. */
  readonly rest: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly names: Vocabulary;
  readonly catalog: Catalog;
  readonly session: Session;
}

/** Returns an option with one value. */
export function textOf({ options }: Given, key: string): string | undefined {
  const value = options[key];
  return typeof value === "string" ? value : undefined;
}

export function listOf({ options }: Given, key: string): readonly string[] {
  const value = options[key];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export const isOn = ({ options }: Given, key: string): boolean => options[key] === true;

/** Returns an option that must be given. @param flag such as `--image` */
export function required(given: Given, key: string, flag: string): string {
  const value = textOf(given, key);
  if (value !== undefined && value !== "") return value;
  throw new CliError(`required flag(s) "${flag.replace(/^--/, "")}" not set`);
}

/** Returns an option that is an integer. */
export function integerOf(given: Given, key: string, flag: string): number | undefined {
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

export const metadataOf = ({ name }: Given, more: JsonObject = {}): JsonObject => ({ name, ...more });
