// Options of the program, except those of the controllers. Source: kube-controller-manager reference.
import { type ConfigOf, type FlagTable, section } from "@orch/machinery";
import { VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";
import { SERVING_FLAGS } from "../serving/serving-flags";

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
    "use-service-account-credentials": {
      type: "bool",
      default: "false",
      help: "each duty works under a service account of its own, with no more rights than its role has",
    },
    "controller-start-interval": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "pause between the beginnings of two duties",
    },
    "min-resync-period": {
      type: "duration",
      default: "12h0m0s",
      min: 0,
      max: 12 * 24 * 3_600_000,
      help: "what is followed is looked at again, changed or not, after a random time between this and twice this; 0: never",
    },
    "logging-format": {
      type: "string",
      default: "auto",
      oneOf: ["auto", "json", "text"],
      help: "form of log lines: text for people, json for programs; auto: text on a terminal, else json",
    },
    v: { type: "int", default: "0", min: 0, help: "verbosity of the log: from 6 every request to the API server" },
    "show-hidden-metrics-for-version": {
      type: "string",
      default: "",
      help: "shows metrics hidden in this release; there are none",
    },
    version: {
      type: "string",
      default: "false",
      oneOf: ["true", "false", "raw"],
      bare: "true",
      help: "prints the version and exits; --version=raw prints all build information",
    },
    help: { type: "bool", default: "false", help: "prints this text and exits" },
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
    "leader-elect-resource-lock": {
      type: "string",
      default: "leases",
      oneOf: ["leases", "endpointsleases", "configmapsleases"],
      help: "kind of the lock, which is a lease in any case",
    },
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
  ...SERVING_FLAGS,
} as const satisfies FlagTable;

export type ManagerConfig = ConfigOf<typeof MANAGER_FLAGS>;

const PREFIXED = ["apiQps", "apiBurst", "apiContentType"] as const;

/** Returns other spellings of the flags, with the product's name or with other terms, by the names of the table. */
export function flagAliases(table: FlagTable): Readonly<Record<string, string>> {
  const spellings = VOCABULARY_NAMES.map((name) => vocabularyOf(name).flags);
  const prefixed = spellings.flatMap((flags) => PREFIXED.map((id) => [flags[id], orch.flags[id].replace("orch-", "")]));
  const others = spellings.flatMap((flags) =>
    Object.entries(flags).map(([id, flag]) => [flag, orch.flags[id as keyof typeof orch.flags]]),
  );
  const pairs = [...others, ...prefixed].map((pair) => pair.map((flag = "") => flag.slice(2)));
  return Object.fromEntries(pairs.filter(([, name = ""]) => Object.hasOwn(table, name)));
}

/** @returns problems with combinations of values, one per line */
export function flagProblems(config: ManagerConfig): string[] {
  const problems = electionProblems(config);
  if ((config["tls-cert-file"] === "") !== (config["tls-private-key-file"] === ""))
    problems.push("--tls-cert-file and --tls-private-key-file: give both or neither");
  const hidden = config["show-hidden-metrics-for-version"];
  if (hidden !== "" && !/^\d+\.\d+$/.test(hidden))
    problems.push(`--show-hidden-metrics-for-version: ${JSON.stringify(hidden)} is no version such as 1.22`);
  return problems;
}

/** @returns as `flagProblems`, for leader election only */
export function electionProblems(config: ManagerConfig): string[] {
  const problems: string[] = [];
  const [lease, renewal, retry] = [
    config["leader-elect-lease-duration"],
    config["leader-elect-renew-deadline"],
    config["leader-elect-retry-period"],
  ];
  if (config["leader-elect"] && lease <= renewal)
    problems.push("--leader-elect-lease-duration: must be more than --leader-elect-renew-deadline");
  if (config["leader-elect"] && renewal <= RENEWAL_RETRIES * retry)
    problems.push(
      `--leader-elect-renew-deadline: must be more than ${RENEWAL_RETRIES} times --leader-elect-retry-period`,
    );
  return problems;
}

/** Factor that leaves time for a second attempt. */
const RENEWAL_RETRIES = 1.2;
