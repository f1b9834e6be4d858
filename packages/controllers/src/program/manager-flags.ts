// The options of the program, beside those of the duties, which are theirs. Source: facts, flags.json "controllerManager".
import { type ConfigOf, type FlagTable, section } from "@orch/machinery";
import { VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";

const orch = vocabularyOf("orch");

export const MANAGER_FLAGS = {
  ...section("Generic", {
    controllers: {
      type: "strings",
      default: "*",
      help: "duties to do: * for all, a name for one, -name for all but that one",
    },
    kubeconfig: {
      type: "string",
      default: "",
      help: "client configuration file; empty: as every client finds its own",
    },
    master: { type: "string", default: "", help: "address of the API server, in place of the file's" },
    vocabulary: {
      type: "string",
      default: "orch",
      oneOf: VOCABULARY_NAMES,
      help: "the names that the API server uses",
    },
    "api-qps": { type: "float", default: "20", min: 0, help: "requests a second of an ordinary duty; 0: no limit" },
    "api-burst": { type: "int", default: "30", min: 1, help: "requests at once" },
    "logging-format": {
      type: "string",
      default: "auto",
      oneOf: ["auto", "json", "text"],
      help: "form of log lines: text for people, json for programs; auto: text on a terminal, else json",
    },
    help: { type: "bool", default: "false", help: "print this text and exit" },
  }),
  ...section("Leader election", {
    "leader-elect": { type: "bool", default: "true", help: "work only while holding the lease" },
    "leader-elect-lease-duration": {
      type: "duration",
      default: "15s",
      min: 1,
      help: "others take the lease this long after the last renewal they saw",
    },
    "leader-elect-renew-deadline": {
      type: "duration",
      default: "10s",
      min: 1,
      help: "a leader that could not renew for this long ends",
    },
    "leader-elect-retry-period": { type: "duration", default: "2s", min: 1, help: "between tries" },
    "leader-elect-resource-lock": { type: "string", default: "leases", oneOf: ["leases"], help: "kind of the lock" },
    "leader-elect-resource-name": {
      type: "string",
      default: "",
      help: `name of the lease; empty: ${orch.objectNames.controllerManager}`,
    },
    "leader-elect-resource-namespace": {
      type: "string",
      default: "",
      help: `its namespace; empty: ${orch.namespaces.system}`,
    },
  }),
  ...section("Serving", {
    "bind-address": { type: "ip", default: "0.0.0.0", help: "where /healthz and /metrics are served" },
    "secure-port": { type: "int", default: "10257", min: 0, max: 65535, help: "HTTPS port for them; 0: off" },
    "tls-cert-file": { type: "string", default: "", help: "certificate; empty: a self-signed one, made at start" },
    "tls-private-key-file": { type: "string", default: "", help: "its key" },
    "client-ca-file": {
      type: "string",
      default: "",
      help: "authority of clients who may read /metrics from elsewhere; without it only this machine may",
    },
  }),
} as const satisfies FlagTable;

export type ManagerConfig = ConfigOf<typeof MANAGER_FLAGS>;

/** Names that carry the product's, to the names of the table. */
export function flagAliases(): Readonly<Record<string, string>> {
  const rows = VOCABULARY_NAMES.map((name) => vocabularyOf(name).flags).flatMap(({ apiQps, apiBurst }) => [
    [apiQps.slice(2), "api-qps"],
    [apiBurst.slice(2), "api-burst"],
  ]);
  return Object.fromEntries(rows);
}
