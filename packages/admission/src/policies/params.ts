// Parameter objects of policies, as bindings refer to them by `paramKind` and `paramRef`. Source: KEP-3488, "CEL for
// Admission Control".
import { type AdmissionRequest, labelsOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { KindReader, KnownResource, MaybePromise, ObjectReader } from "../contract/dependencies";
import type { KnownBinding, KnownPolicy } from "./known-policies";

export interface ParamReaders {
  readonly kinds: KindReader;
  readonly objects: ObjectReader;
}

/** Policy or binding that does not fit the existing objects. The failure policy decides what follows. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** @param isOfPolicy whether the policy is at fault, whatever the binding */
  constructor(
    message: string,
    readonly isOfPolicy = false,
  ) {
    super(message);
  }
}

/** The policy is evaluated once, without parameters. */
const WITHOUT: readonly undefined[] = [undefined];

/**
 * Finds the parameters.
 * @returns the policy is evaluated once with each; empty: it is not evaluated
 * @throws ConfigurationError
 */
export function paramsOf(
  policy: KnownPolicy,
  binding: KnownBinding,
  request: AdmissionRequest,
  readers: ParamReaders,
): MaybePromise<readonly (JsonObject | undefined)[]> {
  const { paramKind } = policy.spec;
  if (paramKind === undefined || binding.spec.paramRef === undefined) return WITHOUT;
  return named(policy, binding, request, readers);
}

async function named(
  { spec: { paramKind = {} } }: KnownPolicy,
  { spec: { paramRef = {} }, params: selector }: KnownBinding,
  request: AdmissionRequest,
  { kinds, objects }: ParamReaders,
): Promise<readonly JsonObject[]> {
  const { apiVersion = "", kind = "" } = paramKind;
  const [resource] = await kinds.of(apiVersion, kind);
  if (resource === undefined) {
    const of = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${of}, Kind=${kind}'`, true);
  }
  const namespace = namespaceOf(resource, paramRef.namespace ?? "", request);
  const { name = "" } = paramRef;
  if (name !== "" && paramRef.selector !== undefined)
    throw new ConfigurationError("paramRef.name and paramRef.selector are mutually exclusive");
  if (name === "" && paramRef.selector === undefined)
    throw new ConfigurationError("one of name or selector must be provided");
  const found = name === "" ? await selected() : await one();
  if (found.length === 0 && paramRef.parameterNotFoundAction === "Deny")
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  return found.map((object) => inVersion(object, apiVersion, kind));

  async function one(): Promise<readonly JsonObject[]> {
    const object = await objects.cached(resource as KnownResource, { namespace, name });
    return object === undefined ? [] : [object];
  }

  async function selected(): Promise<readonly JsonObject[]> {
    const all = await objects.lister(resource as KnownResource).in(namespace);
    return selector === undefined ? all : all.filter((object) => selector.matches(labelsOf(object)));
  }
}

function namespaceOf({ namespaced }: KnownResource, given: string, request: AdmissionRequest): string {
  if (!namespaced) {
    if (given !== "")
      throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    return "";
  }
  const namespace = given === "" ? request.namespace : given;
  if (namespace === "")
    throw new ConfigurationError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  return namespace;
}

/** Cached objects carry their storage version; its shape is the same for all kinds that a policy may name. */
const inVersion = (object: JsonObject, apiVersion: string, kind: string): JsonObject => ({
  ...object,
  apiVersion,
  kind,
});
