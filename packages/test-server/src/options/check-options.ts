// Refuses wrong options. Each message names the option, its value and the accepted values.
import { EVERY_CONTROLLER } from "@orch/controllers";
import { VOCABULARY_NAMES } from "@orch/schema";
import { flagProblem } from "./flags-problem";

const OPTIONS = [
  ...[
    "vocabulary",
    "release",
    "crds",
    "manifests",
    "controllers",
    "webhooks",
    "users",
    "flags",
    "replay",
    "until",
    "port",
  ],
] as const;
const SHOWN_CHARACTERS = 100;
const LARGEST_PORT = 65_535;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const RELEASE = /^1\.\d{2}$/;

const CHECKS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  vocabulary: (value) => oneOf(value, VOCABULARY_NAMES),
  release: (value) =>
    typeof value === "string" && RELEASE.test(value) ? undefined : 'must be a release of Kubernetes, such as "1.36"',
  crds: (value) => list(value, isManifest, "manifests: objects, YAML texts or paths"),
  manifests: (value) => list(value, isManifest, "manifests: objects, YAML texts or paths"),
  controllers: controllersProblem,
  webhooks: webhooksProblem,
  users: (value) =>
    list(value, isUser, 'users, such as { name: "jane", groups: ["developers"] }') ??
    doubledName(value as readonly { readonly name: string }[]),
  flags: flagsProblem,
  replay: (value) => (typeof value === "string" && value !== "" ? undefined : "must be the path of a recording"),
  until: (value) =>
    (Number.isInteger(value) && (value as number) >= 0) || (typeof value === "string" && TIME.test(value))
      ? undefined
      : 'must be a revision, or a time such as "2026-11-27T10:00:00Z"',
  port: (value) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST_PORT
      ? undefined
      : `must be an integer from 0 (any free port) to ${LARGEST_PORT}`,
};

/** @throws TypeError with one line for each wrong option */
export function checkOptions(options: unknown): void {
  if (!isRecord(options))
    throw new TypeError(`options: ${shown(options)}: must be an object with members among ${OPTIONS.join(", ")}`);
  const problems = Object.entries(options).flatMap(([name, value]) => {
    const check = CHECKS[name];
    if (check === undefined || !Object.hasOwn(CHECKS, name))
      return [`unknown option ${JSON.stringify(name)}: the options are ${OPTIONS.join(", ")}`];
    const problem = value === undefined ? undefined : check(value);
    return problem === undefined ? [] : [`${name}: ${shown(value)}: ${problem}`];
  });
  if (options["until"] !== undefined && options["replay"] === undefined)
    problems.push("until: is the last change of a recording: set the option replay as well");
  if (problems.length > 0) throw new TypeError(problems.join("\n"));
}

function oneOf(value: unknown, accepted: readonly string[]): string | undefined {
  return accepted.some((one) => one === value) ? undefined : `must be one of ${accepted.join(", ")}`;
}

function list(value: unknown, isItem: (item: unknown) => boolean, items: string): string | undefined {
  return Array.isArray(value) && value.every(isItem) ? undefined : `must be a list of ${items}`;
}

function doubledName(users: readonly { readonly name: string }[]): string | undefined {
  const names = users.map(({ name }) => name);
  const doubled = names.find((name, at) => names.indexOf(name) !== at);
  return doubled === undefined ? undefined : `names the user ${JSON.stringify(doubled)} twice`;
}

function controllersProblem(value: unknown): string | undefined {
  if (typeof value === "boolean") return undefined;
  const names = EVERY_CONTROLLER.flatMap(({ name, alias }) => [name, alias]);
  const known = Array.isArray(value) && value.every((name) => names.includes(name));
  const accepted = EVERY_CONTROLLER.map(({ name }) => name).join(", ");
  return known ? undefined : `must be true, false, or a list of names among ${accepted}`;
}

function flagsProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return 'must be an object, such as { "max-requests-inflight": 100 }';
  return Object.keys(value)
    .map(flagProblem)
    .find((problem) => problem !== undefined);
}

const WEBHOOK_MEMBERS = ["name", "kind", "rules", "handler", "settings"] as const;

function webhooksProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be a list of webhooks";
  for (const [index, webhook] of value.entries()) {
    const problem = webhookProblem(webhook);
    if (problem !== undefined) return `[${index}]${problem}`;
  }
  return undefined;
}

function webhookProblem(webhook: unknown): string | undefined {
  if (!isRecord(webhook)) return `: must be an object with members among ${WEBHOOK_MEMBERS.join(", ")}`;
  const unknown = Object.keys(webhook).find((name) => !WEBHOOK_MEMBERS.some((member) => member === name));
  if (unknown !== undefined) return `.${unknown}: is unknown: the members are ${WEBHOOK_MEMBERS.join(", ")}`;
  const { name, kind, rules, handler, settings } = webhook;
  if (typeof name !== "string" || name.split(".").length < 3) return '.name: must be a name such as "pods.example.com"';
  if (kind !== "validating" && kind !== "mutating") return ".kind: must be one of validating, mutating";
  if (!Array.isArray(rules) || rules.length === 0) return ".rules: must be a list of rules, not empty";
  if (typeof handler !== "function") return ".handler: must be a function";
  if (settings !== undefined && !isRecord(settings)) return ".settings: must be an object of further webhook fields";
  return undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isManifest = (value: unknown): boolean => (typeof value === "string" && value !== "") || isRecord(value);
const isUser = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value["name"] === "string" &&
  value["name"] !== "" &&
  Object.keys(value).every((name) => name === "name" || name === "groups") &&
  (value["groups"] === undefined || (Array.isArray(value["groups"]) && value["groups"].every(isText)));
const isText = (value: unknown): boolean => typeof value === "string";
const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, SHOWN_CHARACTERS);
