// Flags of the Kubernetes components that are accepted and documented, but have no effect.
import { type FlagRow, section } from "./flag-table";

/** Row of an accepted flag; `missing` is `FlagRow.missing`. */
export type AcceptedRow = readonly [...Shown, missing?: string];
/** Row of a deprecated flag: hidden in `--help`, and warned about when used. */
export type DeprecatedRow = readonly [...Shown, instead: string];
type Shown = [name: string, type: FlagRow["type"], initial: string, help: string];

const LOG_FILES = "the server writes its log to standard error";

/** Logging flags that every Kubernetes component had before 1.26. */
const FORMER_LOG_ROWS: readonly DeprecatedRow[] = [
  [
    "experimental-logging-sanitization",
    "bool",
    "false",
    "hide secrets in logs",
    "it has no effect and can be left out",
  ],
  ["log-dir", "string", "", "directory of log files", LOG_FILES],
  ["log-file", "string", "", "log file", LOG_FILES],
  ["log-file-max-size", "int", "1800", "size of log files", LOG_FILES],
  ["logtostderr", "bool", "true", "log to standard error", LOG_FILES],
  ["alsologtostderr", "bool", "false", "log to standard error too", LOG_FILES],
  ["stderrthreshold", "int", "2", "level for standard error", LOG_FILES],
  ["one-output", "bool", "false", "write each log line to one file only", LOG_FILES],
  ["skip-headers", "bool", "false", "omit the headers of log lines", LOG_FILES],
  ["skip-log-headers", "bool", "false", "omit the headers of log files", LOG_FILES],
  ["add-dir-header", "bool", "false", "include directories in the headers of log lines", LOG_FILES],
  ["log-backtrace-at", "string", ":0", "write a stack trace at a log line, file:line", LOG_FILES],
];

const NOT_BUFFERED = "the log is not buffered";
const ONE_STREAM = "the log is written to one stream";

const LOG_ROWS: readonly AcceptedRow[] = [
  ["vmodule", "string", "", "log level per file", "--v is the log level of all files"],
  ["log-flush-frequency", "duration", "5s", "maximum time between flushes of the log", NOT_BUFFERED],
  ["log-json-info-buffer-size", "string", "0", "size of the buffer for JSON log lines", NOT_BUFFERED],
  [
    "log-json-split-stream",
    "bool",
    "false",
    "write JSON log lines of errors to standard error and all others to standard output",
    ONE_STREAM,
  ],
  ["log-text-info-buffer-size", "string", "0", "size of the buffer for text log lines", NOT_BUFFERED],
  [
    "log-text-split-stream",
    "bool",
    "false",
    "write text log lines of errors to standard error and all others to standard output",
    ONE_STREAM,
  ],
];

/** Insecure port: only 0 (disabled) is accepted. */
const NO_PORT = {
  type: "int",
  default: "0",
  help: "port without TLS; only 0 is accepted",
  min: 0,
  max: 0,
  deprecated: "the server only serves over TLS",
} as const;

/** Returns the given rows together with those that every program accepts: logging flags and the insecure port. */
export function acceptedFlags(of: {
  readonly accepted: readonly AcceptedRow[];
  readonly deprecated: readonly DeprecatedRow[];
}): Readonly<Record<string, FlagRow>> {
  return section("Accepted without effect", {
    ...Object.fromEntries(
      [...of.accepted, ...LOG_ROWS].map(([name, type, initial, help, missing]) => [
        name,
        { type, default: initial, help, noEffect: true as const, ...(missing !== undefined && { missing }) },
      ]),
    ),
    ...Object.fromEntries(
      [...of.deprecated, ...FORMER_LOG_ROWS].map(([name, type, initial, help, deprecated]) => [
        name,
        { type, default: initial, help, deprecated },
      ]),
    ),
    port: NO_PORT,
  });
}
