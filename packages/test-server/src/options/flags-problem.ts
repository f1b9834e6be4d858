// Refuses flags of the API server that an option sets, or that change nothing in a server inside a test.
import { SERVER_FLAGS } from "@orch/server-config";

/** Flags that an option repeats. */
const FLAGS_OF_OPTIONS: ReadonlyMap<string, string> = new Map([
  ["emulated-release", "release"],
  ["secure-port", "port"],
  ["bind-address", "port"],
]);

const NO_FILES = "a test server stores nothing in files";
const NO_ETCD = "a test server stores its objects in memory";
const NO_LOG = "a test server logs nothing";
const NO_COMMAND_LINE = "a test server has no command line";
/** Flags of the program, with the reason why a test server does not have them. */
const FLAGS_OF_THE_PROGRAM: ReadonlyMap<string, string> = new Map([
  ["data-dir", NO_FILES],
  ["cert-dir", NO_FILES],
  ["explorer-link-file", NO_FILES],
  ["explorer-token", NO_FILES],
  ["etcd-cafile", NO_ETCD],
  ["etcd-certfile", NO_ETCD],
  ["etcd-keyfile", NO_ETCD],
  ["etcd-transport", NO_ETCD],
  ["v", NO_LOG],
  ["logging-format", NO_LOG],
  ["help", NO_COMMAND_LINE],
  ["version", NO_COMMAND_LINE],
]);

/** @returns what is wrong with a flag; undefined for flags that the server itself checks */
export function flagProblem(name: string): string | undefined {
  const option = FLAGS_OF_OPTIONS.get(name);
  if (option !== undefined) return `the flag ${name} is set by the option ${option}`;
  const row = Object.hasOwn(SERVER_FLAGS, name) ? SERVER_FLAGS[name] : undefined;
  const why = FLAGS_OF_THE_PROGRAM.get(name) ?? (row?.noEffect === true ? (row.missing ?? row.help) : undefined);
  return why === undefined ? undefined : `the flag ${name} has no effect: ${why}`;
}
