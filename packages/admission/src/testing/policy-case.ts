// Cluster with policies for tests, and the outcome of requests in it.

import { builtInResources } from "@orch/apis";
import type { Attributes, Decision } from "@orch/auth";
import {
  type AdmissionRequest,
  AdmittedWrite,
  type MutableAdmissionRequest,
  type ResourceDefinition,
  type StatusCause,
  StatusError,
} from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { Round } from "../chain/round";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { PolicyCheck } from "../contract/policy-observer";
import { mutatingAdmissionPolicy } from "../policies/mutating-admission-policy";
import { validatingAdmissionPolicy } from "../policies/validating-admission-policy";
import { fakeDependencies } from "./admission-request";
import { storedObjects } from "./stored-objects";

export const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const RESOURCES = builtInResources(vocabulary, schema, { release: "1.26" });
const API = `${vocabulary.groups.admissionregistration}/v1`;

const POD_RULES = { resourceRules: [ruleOf("", "pods")] };

export function ruleOf(
  group: string,
  resource: string,
  operations: readonly string[] = ["*"],
  version = "*",
): JsonObject {
  return { apiGroups: [group], apiVersions: [version], operations: [...operations], resources: [resource] };
}

/** Returns a policy for pods, unless its spec says otherwise. */
export const policyOf = (spec: JsonObject, name = "rules"): JsonObject => ({
  apiVersion: API,
  kind: "ValidatingAdmissionPolicy",
  metadata: { name, uid: `of-${name}` },
  spec: { matchConstraints: POD_RULES, ...spec },
});

export const bindingOf = (spec: JsonObject = {}, name = "binds", policyName = "rules"): JsonObject => ({
  apiVersion: API,
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName, validationActions: ["Deny"], ...spec },
});

export const mutationOf = (spec: JsonObject, name = "changes"): JsonObject => ({
  apiVersion: API,
  kind: "MutatingAdmissionPolicy",
  metadata: { name, uid: `of-${name}` },
  spec: { matchConstraints: POD_RULES, reinvocationPolicy: "Never", ...spec },
});

export const mutationBindingOf = (spec: JsonObject = {}, name = "binds", policyName = "changes"): JsonObject => ({
  apiVersion: API,
  kind: "MutatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName, ...spec },
});

export const podOf = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "shop", ...metadata },
  spec: { containers: [{ name: "main", image: "example.com/web:1" }], ...spec },
});

export interface AskedRequest {
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
  readonly operation?: AdmissionRequest["operation"];
  readonly group?: string;
  readonly resource?: string;
  /** Version of the request; absent: the storage version. */
  readonly version?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly user?: AdmissionRequest["user"];
  readonly dryRun?: boolean;
}

export interface PolicyOutcome {
  /** `<code> <reason>: <message>`; undefined when the request is allowed. */
  readonly refused: string | undefined;
  /** Causes of the refusal. */
  readonly causes: readonly StatusCause[] | undefined;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly object: JsonObject | undefined;
  readonly checks: readonly string[];
}

export interface ClusterParts {
  readonly objects?: readonly JsonObject[];
  readonly allowed?: (attributes: Attributes) => Decision | Promise<Decision>;
  readonly definitions?: readonly ResourceDefinition[];
  readonly gate?: boolean;
  readonly valuesHere?: number;
}

const NAMESPACE: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", labels: { tier: "front", env: "test" }, creationTimestamp: "2024-05-01T12:00:00Z" },
  status: { phase: "Active" },
};

export class PolicyCluster {
  private readonly plugins;
  private readonly definitions: readonly ResourceDefinition[];
  private readonly checks: PolicyCheck[] = [];
  /** Outcomes of match conditions since the cluster was created. */
  readonly conditions: string[] = [];
  readonly dependencies: AdmissionDependencies;

  constructor({ objects = [], allowed, definitions = [], gate = true, valuesHere }: ClusterParts) {
    this.definitions = [...RESOURCES, ...definitions];
    const stored = storedObjects([NAMESPACE, ...objects]);
    const arrays = new Map<string, readonly JsonObject[]>();
    const lister: AdmissionDependencies["objects"]["lister"] = (resource) => {
      const of = stored.objects.lister(resource);
      const key = `${resource.group}/${resource.resource}`;
      return {
        ...of,
        all: () => {
          const all = arrays.get(key) ?? (of.all() as readonly JsonObject[]);
          arrays.set(key, all);
          return all;
        },
      };
    };
    this.dependencies = fakeDependencies({
      ...stored,
      objects: { ...stored.objects, lister },
      kinds: { of: (apiVersion, kind) => this.resourcesOf(apiVersion, kind) },
      ...(valuesHere !== undefined && { valuesHere }),
      ...(allowed && { authorizer: { authorize: allowed } }),
      options: { notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300, isOn: () => gate },
      policyObserver: {
        validated: (check) => this.checks.push(check),
        mutated: (check) => this.checks.push(check),
        conditionsMet: ({ policy, type, operation, outcome }) =>
          this.conditions.push(`${policy} ${type} ${operation} ${outcome}`),
      },
    });
    this.plugins = [mutatingAdmissionPolicy.make(this.dependencies), validatingAdmissionPolicy.make(this.dependencies)];
  }

  private resourcesOf(apiVersion: string, kind: string) {
    return this.definitions
      .filter((each) => each.versions.some((version) => version.apiVersion === apiVersion && version.kind === kind))
      .map(({ group, plural, scope }) => ({ group, resource: plural, namespaced: scope === "Namespaced" }));
  }

  requestOf(asked: AskedRequest): {
    readonly request: MutableAdmissionRequest;
    readonly warnings: string[];
    readonly annotations: Record<string, string>;
  } {
    const { group = "", resource = "pods", subresource = "", operation = "CREATE", dryRun = false } = asked;
    const definition = this.definitions.find((each) => each.group === group && each.plural === resource);
    if (definition === undefined) throw new Error(`there is no ${resource} in ${JSON.stringify(group)}`);
    const version = definition.versions.find((each) => each.version === asked.version) ?? definition.storage;
    const meta = ((asked.object ?? asked.oldObject)?.["metadata"] ?? {}) as JsonObject;
    const warnings: string[] = [];
    const annotations: Record<string, string> = {};
    const write = new AdmittedWrite(
      undefined,
      {
        dryRun,
        warn: (text) => warnings.push(text),
        annotate(key, value) {
          annotations[key] = value;
        },
      },
      () => "u-1",
    );
    const scoped = definition.scope === "Namespaced" ? "shop" : "";
    const name = asked.name ?? String(meta["name"] ?? "");
    const request = write.ask({
      operation,
      definition,
      version,
      subresource,
      namespace: asked.namespace ?? String(meta["namespace"] ?? scoped),
      name,
      pathName: operation === "CREATE" ? "" : name,
      user: asked.user ?? { name: "ann", uid: "7", groups: ["devs", "system:authenticated"] },
      kind: { group: version.group, version: version.version, kind: version.kind },
      object: asked.object,
      oldObject: asked.oldObject,
      options: () =>
        operation === "DELETE"
          ? { kind: "DeleteOptions" }
          : {
              kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions",
              fieldManager: "tests",
              fieldValidation: "Warn",
            },
    });
    const end = () => write.end("done");
    return Object.assign({ request, warnings, annotations }, { end });
  }

  async ask(asked: AskedRequest): Promise<PolicyOutcome> {
    const made = this.requestOf(asked) as ReturnType<PolicyCluster["requestOf"]> & { end(): void };
    const { request, warnings, annotations } = made;
    this.checks.length = 0;
    let refused: string | undefined;
    let causes: readonly StatusCause[] | undefined;
    try {
      let round: Round | undefined = new Round(0);
      while (round !== undefined) {
        for (const { mutate } of this.plugins) {
          await mutate?.(request, round);
          round.look(request);
        }
        round = round.next(request);
      }
      for (const { validate } of this.plugins) await validate?.(request);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refused = `${error.code} ${error.reason}: ${error.message}`;
      causes = error.details?.causes;
    }
    made.end();
    return {
      refused,
      causes,
      warnings,
      annotations,
      object: request.object,
      checks: this.checks.map(({ policy, binding, error, action }) => `${policy} ${binding} ${error} ${action}`),
    };
  }
}
