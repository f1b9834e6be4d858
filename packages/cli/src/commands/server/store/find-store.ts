// Where a server keeps its objects: options, a file with the flags of the server, or what the server tells of itself.
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import type { Client } from "@orch/client";
import { isObject, type JsonValue, parseYaml } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import { fileFault } from "../../../process/file-fault";
import type { Session } from "../../../session/session";
import { BACKUP_PATH } from "../backup/backup-path";
import { type Page, readPage } from "../pages/page";
import { storeFigures } from "../pages/store-figures";
import { type EtcdOptions, endpointsIn } from "./etcd-options";

export type FoundStore =
  | { readonly kind: "embedded" }
  | { readonly kind: "etcd"; readonly endpoints: readonly string[]; readonly options: EtcdOptions };

/** Flags of a server by their names. */
type Flags = ReadonlyMap<string, string>;

/** Option of this command for each flag of the server. */
const OPTIONS = { cacert: "etcd-cafile", cert: "etcd-certfile", key: "etcd-keyfile" } as const;
const SERVERS = "etcd-servers";
const CONFIG_MAX_BYTES = 1 << 20;
const UNTOLD = "name it with --endpoints, and its --cacert, --cert and --key, or the file of its flags with --config";

/** Finds the store. @throws CliError when neither options nor the server tell where it is */
export async function findStore(session: Session, options: EtcdOptions): Promise<FoundStore> {
  const given = endpointsIn(options);
  if (given.length > 0) return { kind: "etcd", endpoints: given, options };
  if (options.config !== undefined) return storeOf(flagsOfFile(options.config), options);
  const client = await session.client();
  // Only a server with a store of its own takes backups of it.
  const { status } = await readPage(client, { method: "HEAD", path: BACKUP_PATH });
  if (status === 200) return { kind: "embedded" };
  const flags = await flagsOfServer(client);
  if (flags.has(SERVERS)) return storeOf(flags, options);
  const { sizes } = await storeFigures(client);
  const endpoints = sizes.map(({ endpoint }) => endpoint).filter((each) => /^https?:\/\//.test(each));
  if (endpoints.length > 0) return { kind: "etcd", endpoints, options };
  throw new CliError(`the server does not tell where its etcd is: ${UNTOLD}`);
}

/** @throws CliError for a file of the server that cannot be read here */
function storeOf(flags: Flags, options: EtcdOptions): FoundStore {
  const servers = flags.get(SERVERS) ?? "";
  if (servers === "") return { kind: "embedded" };
  const files: { -readonly [Key in keyof typeof OPTIONS]?: string } = {};
  for (const [option, flag] of Object.entries(OPTIONS) as [keyof typeof OPTIONS, string][]) {
    const path = options[option] ?? flags.get(flag) ?? "";
    if (path === "") continue;
    if (options[option] === undefined) requireReadable(path, { option, flag });
    files[option] = path;
  }
  const all = { ...options, ...files, endpoints: servers };
  return { kind: "etcd", endpoints: endpointsIn(all), options: all };
}

function requireReadable(path: string, { option, flag }: { readonly option: string; readonly flag: string }): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new CliError(
      `the --${flag} of the server cannot be read here: ${fileFault(error, path)}: name a file with --${option}`,
    );
  }
}

/** Reads what the server tells: in the refusal of a backup, or on its page /flagz. */
async function flagsOfServer(client: Client): Promise<Flags> {
  const refusal = await readPage(client, BACKUP_PATH);
  const causes = refusal.status === 400 ? causesIn(refusal) : [];
  if (causes.length > 0) return new Map(causes);
  const { status, text } = await readPage(client, "/flagz");
  if (status !== 200) return new Map();
  // The separator is one of several characters, so that programs do not rely on it. Source: KEP-4828.
  const lines = text.split("\n").map((line) => /^([a-z][a-z0-9-]*)\s*[:=/\s]\s*(.*)$/.exec(line.trim()));
  return new Map(lines.flatMap((line) => (line === null ? [] : [[line[1] ?? "", listText(line[2] ?? "")] as const])));
}

/** Returns a list that is written in brackets as values with commas. */
const listText = (text: string): string => text.replace(/^\[(.*)\]$/, "$1").replaceAll(/[ "]/g, "");

function causesIn({ text }: Page): [string, string][] {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return [];
  }
  const details = isObject(value) && isObject(value["details"]) ? value["details"] : {};
  const causes = Array.isArray(details["causes"]) ? details["causes"].filter(isObject) : [];
  return causes.map(({ field, message }) => [String(field), String(message)]);
}

/** @throws CliError */
function flagsOfFile(path: string): Flags {
  try {
    if (statSync(path).size > CONFIG_MAX_BYTES) throw new Error(`it is larger than ${CONFIG_MAX_BYTES} bytes`);
    const { value } = parseYaml(readFileSync(path, "utf8"));
    if (!isObject(value)) throw new Error("it holds no flags by their names, such as etcd-servers: http://HOST:2379");
    return new Map(Object.entries(value).map(([name, flag]) => [name, [flag].flat().join(",")]));
  } catch (error) {
    throw new CliError(`--config: ${fileFault(error, path)}`);
  }
}
