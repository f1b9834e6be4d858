// Options of the program, except those of the controllers. Source: kube-controller-manager reference.
import { type ConfigOf, type FlagTable, section } from "@orch/machinery";
import { VOCABULARY_NAMES, type Vocabulary, vocabularyOf } from "@orch/schema";
import { CONTROLLER_GATES } from "../manager/manager-gates";
import { SERVING_FLAGS } from "../serving/serving-flags";

const orch = vocabularyOf("orch");

export const MANAGER_FLAGS = {
  ...section("Generic", {
    controllers: {
      type: "strings",
      default: "*",
      help: "controllers to run: * for all, a name for one, -name to exclude one",
    },
    kubeconfig: {
      type: "string",
      default: "",
      help: "client configuration file; empty: the default lookup of clients",
    },
    master: { type: "string", default: "", help: "URL of the API server; overrides the client configuration file" },
    vocabulary: {
      type: "string",
      default: "orch",
      oneOf: VOCABULARY_NAMES,
      help: "vocabulary of the API server",
    },
    "feature-gates": {
      type: "mapStringBool",
      default: "",
      help: `enables or disables features: A=true,B=false; AllAlpha and AllBeta set all features of a stage; the controllers depend on ${CONTROLLER_GATES.join(", ")}, and other gates have no effect`,
    },
    "api-qps": {
      type: "float",
      default: "20",
      min: 0,
      help: "maximum requests per second of a controller; 0: no limit",
    },
    "api-burst": { type: "int", default: "30", min: 1, help: "burst of requests" },
    "use-service-account-credentials": {
      type: "bool",
      default: "false",
      help: "each controller uses its own service account, with the permissions of its role",
    },
    "controller-start-interval": {
      type: "duration",
      default: "0s",
      min: 0,
      help: "delay between the start of two controllers",
    },
    "min-resync-period": {
      type: "duration",
      default: "12h0m0s",
      min: 0,
      max: 12 * 24 * 3_600_000,
      help: "minimum resync interval of informers; the interval is random between this and twice this; 0: never",
    },
    "logging-format": {
      type: "string",
      default: "auto",
      oneOf: ["auto", "json", "text"],
      help: "log format: text or json; auto: text on a terminal, else json",
    },
    config: {
      type: "string",
      default: "",
      help: "file with flags in YAML: each key is the name of a flag, lists are lists; flags of the command line win; read at the start",
    },
    v: { type: "int", default: "0", min: 0, help: "log verbosity; 6 and higher: every request to the API server" },
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
    "leader-elect": {
      type: "bool",
      default: "true",
      help: "runs the controllers only while this process holds the lease",
    },
    "leader-elect-lease-duration": {
      type: "duration",
      default: "15s",
      min: 1,
      help: "time after the last observed renewal when another process may take the lease",
    },
    "leader-elect-renew-deadline": {
      type: "duration",
      default: "10s",
      min: 1,
      help: "time after which a leader that cannot renew the lease exits",
    },
    "leader-elect-retry-period": { type: "duration", default: "2s", min: 1, help: "interval between attempts" },
    "leader-elect-resource-lock": {
      type: "string",
      default: "leases",
      oneOf: ["leases", "endpointsleases", "configmapsleases"],
      help: "kind of lock; always leases in this program",
    },
    "leader-elect-resource-name": {
      type: "string",
      default: "",
      help: `name of the lease; empty: ${orch.objectNames.controllerManager}`,
    },
    "leader-elect-resource-namespace": {
      type: "string",
      default: "",
      help: `namespace of the lease; empty: ${orch.namespaces.system}`,
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

/** Returns the spellings of a vocabulary for the flags of the table, by the names of the table. */
export function flagSpellings(table: FlagTable, { name, flags }: Vocabulary): Readonly<Record<string, string>> {
  if (name === orch.name) return {};
  const theirs = new Set(Object.values(flags).map((flag) => flag.slice(2)));
  const aliases = Object.entries(flagAliases(table)).filter(([alias]) => theirs.has(alias));
  return Object.fromEntries(aliases.map(([alias, ours]) => [ours, alias]));
}

/** @returns problems with combinations of values, one per line */
export function flagProblems(config: ManagerConfig): string[] {
  const problems = electionProblems(config);
  if ((config["tls-cert-file"] === "") !== (config["tls-private-key-file"] === ""))
    problems.push("--tls-cert-file and --tls-private-key-file must be set together");
  const hidden = config["show-hidden-metrics-for-version"];
  if (hidden !== "" && !/^\d+\.\d+$/.test(hidden))
    problems.push(`--show-hidden-metrics-for-version: ${JSON.stringify(hidden)} must be a version such as 1.22`);
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
    problems.push("--leader-elect-lease-duration: must be greater than --leader-elect-renew-deadline");
  if (config["leader-elect"] && renewal <= RENEWAL_RETRIES * retry)
    problems.push(
      `--leader-elect-renew-deadline: must be greater than ${RENEWAL_RETRIES} times --leader-elect-retry-period`,
    );
  return problems;
}

/** Factor that leaves time for a second attempt. */
const RENEWAL_RETRIES = 1.2;
