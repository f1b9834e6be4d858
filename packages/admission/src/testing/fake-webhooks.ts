// Webhooks for table tests: records what they are asked and answers with a function. Transport is not tested here.
import { builtInResources } from "@orch/apis";
import {
  type Admission,
  type AdmissionOperation,
  type AdmissionOptions,
  type AdmissionRequest,
  type AdmissionTrace,
  AdmittedWrite,
  type MutableAdmissionRequest,
  parseApiVersion,
  type ResourceDefinition,
  type TracedStep,
} from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { createAdmissionChain } from "../chain/chain";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { PluginFactory } from "../contract/plugin";
import type { WebhookCaller } from "../contract/webhook-caller";
import type { CalledWebhook, WebhookObserver } from "../contract/webhook-observer";
import { mutatingAdmissionWebhook } from "../webhooks/mutating-webhooks";
import { validatingAdmissionWebhook } from "../webhooks/validating-webhooks";
import { fakeDependencies } from "./admission-request";
import { storedObjects } from "./stored-objects";

const vocabulary = vocabularyOf("orch");
const RELEASE = "1.24";
const definitionsOf = (release: string) => builtInResources(vocabulary, loadSchema(vocabulary, release), { release });
const DEFINITIONS = definitionsOf(RELEASE);

export function builtIn(plural: string, group = "", release = RELEASE): ResourceDefinition {
  const definitions = release === RELEASE ? DEFINITIONS : definitionsOf(release);
  const found = definitions.find((each) => each.plural === plural && each.group === group);
  if (found === undefined) throw new Error(`no ${plural} in ${JSON.stringify(group)}`);
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: reviews are JSON from outside.
export type Review = any;

export interface FakeAnswer {
  /** Members of the response other than uid and allowed. */
  readonly [member: string]: unknown;
}

export interface FakeWebhooks {
  /** Received reviews in order, with the name of the webhook. */
  readonly asked: { readonly webhook: string; readonly review: Review }[];
  readonly notes: string[];
  readonly dependencies: AdmissionDependencies;
  chain(...others: readonly PluginFactory[]): Admission;
}

/** Answer of a webhook: members of its response; or the whole body, or an error, for a webhook that misbehaves. */
export type FakeBehaviour = (review: Review, webhook: string) => FakeAnswer | string | Error | Promise<FakeAnswer>;

export const ALLOWED: FakeAnswer = {};

/** @param objects configurations and other stored objects */
export function fakeWebhooks(
  objects: readonly JsonObject[],
  behaviour: FakeBehaviour = () => ALLOWED,
  parts: Partial<AdmissionDependencies> = {},
): FakeWebhooks {
  const asked: { webhook: string; review: Review }[] = [];
  const notes: string[] = [];
  const caller: WebhookCaller = {
    async call({ name }, body) {
      const review = JSON.parse(body.toString());
      asked.push({ webhook: name, review });
      const said = await behaviour(review, name);
      if (said instanceof Error) throw said;
      if (typeof said === "string") return Buffer.from(said);
      const response = { uid: review.request.uid, allowed: true, ...said };
      return Buffer.from(JSON.stringify({ kind: review.kind, apiVersion: review.apiVersion, response }));
    },
    withCredentials: () => caller,
  };
  const dependencies = fakeDependencies({
    release: RELEASE,
    ...storedObjects([...NAMESPACES, ...objects]),
    webhooks: caller,
    webhookObserver: noting(notes),
    ...parts,
  });
  return {
    asked,
    notes,
    dependencies,
    chain: (...others) =>
      createAdmissionChain({
        plugins: [...others, mutatingAdmissionWebhook, validatingAdmissionWebhook],
        dependencies,
      }),
  };
}

const namespace = (name: string, labels: object): JsonObject => ({
  kind: "Namespace",
  apiVersion: "v1",
  metadata: { name, labels: { ...labels } },
});

const NAMESPACES = [
  namespace("shop", { team: "sales" }),
  namespace("orch-system", { team: "ops" }),
  namespace("plain", {}),
];

function noting(notes: string[]): WebhookObserver {
  const text = ({ configuration: _, ...webhook }: CalledWebhook) => Object.values(webhook).join(" ");
  return {
    called: (webhook, { rejected, code }) => void notes.push(`called ${text(webhook)} ${rejected} ${code}`),
    rejected: (webhook, { kind, code }) => void notes.push(`rejected ${text(webhook)} ${kind} ${code}`),
    failedOpen: (webhook) => void notes.push(`failedOpen ${text(webhook)}`),
    conditionsEvaluated: (webhook) => void notes.push(`evaluated ${text(webhook)}`),
    conditionsFailed: (webhook) => void notes.push(`conditionsFailed ${text(webhook)}`),
    conditionsExcluded: (webhook) => void notes.push(`excluded ${text(webhook)}`),
  };
}

export interface WebhookParts {
  readonly [member: string]: unknown;
}

const EVERYTHING = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], scope: "*" };

/** Returns a webhook that matches everything, unless the parts say otherwise. */
export const webhook = (name: string, parts: WebhookParts = {}): JsonObject =>
  ({
    name,
    rules: [EVERYTHING],
    clientConfig: { url: "https://webhook.example.com/" },
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    sideEffects: "None",
    timeoutSeconds: 10,
    admissionReviewVersions: ["v1"],
    ...parts,
  }) as JsonObject;

const configuration =
  (kind: string) =>
  (name: string, ...webhooks: readonly JsonObject[]): JsonObject => ({
    kind,
    apiVersion: "admissionregistration.orch.io/v1",
    metadata: { name, uid: `uid-of-${name}` },
    webhooks: [...webhooks],
  });

export const mutating = configuration("MutatingWebhookConfiguration");
export const validating = configuration("ValidatingWebhookConfiguration");

export interface AskedOf {
  readonly operation?: AdmissionOperation;
  /** Resource in the core group and its storage version, unless `group` or `version` say otherwise. */
  readonly plural?: string;
  readonly group?: string;
  readonly version?: string;
  readonly subresource?: string;
  /** Kind of the object that a subresource takes. */
  readonly kind?: { readonly apiVersion: string; readonly kind: string };
  readonly namespace?: string;
  readonly name?: string;
  readonly pathName?: string;
  readonly object?: JsonObject | undefined;
  readonly oldObject?: JsonObject | undefined;
  readonly dryRun?: boolean;
  readonly options?: AdmissionOptions | undefined;
  readonly user?: AdmissionRequest["user"];
  readonly signal?: AdmissionRequest["signal"];
  readonly definition?: ResourceDefinition;
}

export interface AskedRequest {
  readonly request: MutableAdmissionRequest;
  /** Trace steps of the webhooks themselves. */
  readonly steps: readonly Omit<TracedStep, "seconds">[];
  readonly warnings: string[];
  readonly annotations: Map<string, string>;
}

/** Returns the creation of the config map "a" in the namespace "shop", unless the parts say otherwise. */
export function askedOf(of: AskedOf = {}): AskedRequest {
  const { operation = "CREATE", plural = "configmaps", group = "", subresource = "", dryRun = false } = of;
  const definition = of.definition ?? builtIn(plural, group);
  const version =
    of.version === undefined
      ? definition.storage
      : definition.versions.find((each) => each.apiVersion === of.version || each.version === of.version);
  if (version === undefined) throw new Error(`no ${of.version} of ${plural}`);
  const warnings: string[] = [];
  const annotations = new Map<string, string>();
  const { signal } = of;
  const steps: Omit<TracedStep, "seconds">[] = [];
  const trace: AdmissionTrace = {
    again() {},
    tell({ seconds: _, ...step }) {
      if (step.part !== undefined) steps.push(step);
    },
  };
  const sinks = { dryRun, signal, trace, warn: (text: string) => void warnings.push(text) };
  const annotate = (key: string, value: string) => void annotations.set(key, value);
  const write = new AdmittedWrite(undefined, { ...sinks, annotate }, () => "u-1");
  const isNamespaced = definition.scope === "Namespaced";
  const { namespace = isNamespaced ? "shop" : "", name = "a" } = of;
  const plain = (): JsonObject => ({
    kind: definition.storage.kind,
    apiVersion: definition.storage.apiVersion,
    metadata: { name, ...(namespace !== "" && { namespace }) },
  });
  const has = (member: "object" | "oldObject", operations: readonly AdmissionOperation[]) =>
    member in of ? of[member] : operations.includes(operation) ? plain() : undefined;
  const request = write.ask({
    operation,
    definition,
    version,
    kind: of.kind === undefined ? version : { ...version, ...parseApiVersion(of.kind.apiVersion), kind: of.kind.kind },
    subresource,
    namespace,
    name,
    pathName: of.pathName ?? (operation === "CREATE" ? "" : name),
    user: of.user ?? { name: "ann", groups: ["system:authenticated"] },
    object: has("object", ["CREATE", "UPDATE"]),
    oldObject: has("oldObject", ["UPDATE", "DELETE"]),
    options: operation === "CONNECT" ? undefined : () => of.options ?? plainOptions(operation),
  });
  // Audit annotations are applied when the write has ended; tests read them before.
  const told = request.annotate.bind(request);
  Object.assign(request, {
    annotate(key: string, value: string, level?: "Metadata" | "Request" | "RequestResponse") {
      annotations.set(level === undefined ? key : `${key} (${level})`, value);
      told(key, value, level);
    },
  });
  return { request, steps, warnings, annotations };
}

function plainOptions(operation: "CREATE" | "UPDATE" | "DELETE"): AdmissionOptions {
  if (operation === "DELETE") return { kind: "DeleteOptions" };
  const kind = operation === "UPDATE" ? "UpdateOptions" : "CreateOptions";
  return { kind, fieldManager: "", fieldValidation: "Warn" };
}

/** Runs both phases. @returns the object after mutation */
export async function pass(chain: Admission, request: MutableAdmissionRequest): Promise<JsonObject | undefined> {
  await chain.mutate(request);
  await chain.validate(request);
  return request.object;
}
