// Issues a service account token with an expiration time and a bound object. Source:
// pkg/registry/core/serviceaccount/storage/token.go.
import { randomUUID } from "node:crypto";
import { type AccountTokenIssuer, type BoundClaims, credentialId, type ObjectReference } from "@orch/auth";
import {
  badRequest,
  compareReleases,
  conflict,
  field,
  invalid,
  isReason,
  MOST_RECENT,
  metaOf,
  requestEntityTooLarge,
  TOO_LARGE_TEXT,
  timestamp,
} from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { ActionHandler, RequestedAction } from "@orch/request";
import { isObject, type JsonObject, MANY_VALUES, type Vocabulary } from "@orch/schema";

export interface TokenRequestDeps {
  readonly vocabulary: Vocabulary;
  /** Served release. */
  readonly release: string;
  /** Undefined in a large-object worker, which signs nothing: its requests are larger than any TokenRequest. */
  readonly issuer: AccountTokenIssuer | undefined;
  /** Storages of the kinds that tokens can be bound to. A function, because they change. */
  readonly storages: () => {
    readonly pods: ResourceStorage;
    readonly secrets: ResourceStorage;
    readonly nodes: ResourceStorage;
  };
  /** Whether a request with the UID of another service account of this name is rejected. */
  readonly checksUid: boolean;
  /** Maximum lifetime in seconds; 0: no limit. */
  readonly maxSeconds: number;
  /** Whether tokens of pods are extended, with warnings for their use after the requested lifetime. */
  readonly extends: boolean;
  /** Limit of an extended lifetime. */
  readonly extendedMaxSeconds: number;
  now(): number;
}

/** Lifetime that admission requests for pods; only such a token may be extended. */
const POD_TOKEN_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 3600;
/** First releases in which tokens have a unique id and the node of their pod, and can be bound to a node. */
const NAMED_SINCE = "1.30";
const NODE_BOUND_SINCE = "1.31";
/** First release that compares UIDs and answers the UID of the account. */
const UID_SINCE = "1.34";

interface RequestSpec {
  readonly audiences?: readonly string[] | null;
  readonly expirationSeconds: number;
  readonly boundObjectRef?: {
    readonly kind?: string;
    readonly apiVersion?: string;
    readonly name?: string;
    readonly uid?: string;
  } | null;
}

type Bound = Pick<BoundClaims, "pod" | "secret" | "node">;

export function tokenRequest(deps: TokenRequestDeps): ActionHandler {
  return async ({ body, key, storage, write }) => {
    const { issuer, vocabulary } = deps;
    if (issuer === undefined) throw requestEntityTooLarge(TOO_LARGE_TEXT.values(MANY_VALUES));
    const spec = body["spec"] as JsonObject & RequestSpec;
    checkNames(deps, body, key);
    const account = referenceTo((await storage.get(key, MOST_RECENT)).object());
    checkUid(deps, body, { account, write });
    const bound = await boundOf(deps, spec, key);
    const audiences = spec.audiences?.length ? spec.audiences : issuer.audiences;
    const seconds = shortened(deps, spec.expirationSeconds, write);
    const nowMs = deps.now();
    const now = Math.floor(nowMs / 1000);
    // Other audiences would not report the use of a token after its requested lifetime.
    const isForUs = audiences.every((each) => issuer.audiences.includes(each));
    const isExtended = deps.extends && isForUs && bound.pod !== undefined && seconds === POD_TOKEN_SECONDS;
    const id = isSince(deps, NAMED_SINCE) ? randomUUID() : undefined;
    const withUid = isSince(deps, UID_SINCE);
    if (write.dryRun) return answerOf(body, { account, audiences, seconds, nowMs, token: "", withUid }, key.namespace);
    const token = await issuer.issue({
      ...{ namespace: key.namespace, account, audiences, ...bound },
      ...{
        issuedAt: now,
        notBefore: now,
        expires: now + (isExtended ? Math.min(EXTENDED_SECONDS, deps.extendedMaxSeconds) : seconds),
      },
      ...(isExtended && { warnAfter: now + seconds }),
      ...(id !== undefined && { id }),
    });
    if (id !== undefined) {
      write.annotate?.(vocabulary.userExtraKeys.authenticationIssuedCredentialId, credentialId(id), "Metadata");
    }
    return answerOf(body, { account, audiences, seconds, nowMs, token, withUid }, key.namespace);
  };
}

const isSince = ({ release }: TokenRequestDeps, since: string): boolean => compareReleases(release, since) >= 0;

/** First release that compares the name and the namespace of a request with those of the account. */
const NAMES_SINCE = "1.26";

/** @throws StatusError Invalid (422) */
function checkNames(deps: TokenRequestDeps, body: JsonObject, key: RequestedAction["key"]): void {
  if (!isSince(deps, NAMES_SINCE)) return;
  const { name = "", namespace = "" } = metaOf(body);
  const kind = { group: deps.vocabulary.groups.authentication, kind: "TokenRequest" };
  for (const [what, value, expected] of [
    ["name", name, key.name],
    ["namespace", namespace, key.namespace],
  ] as const) {
    if (value === "" || value === expected) continue;
    const text = `must match the service account ${what} if specified`;
    throw invalid(kind, key.name, [field.invalid(`metadata.${what}`, value, text)]);
  }
}

/** @throws StatusError Conflict (409) */
function checkUid(
  deps: TokenRequestDeps,
  body: JsonObject,
  { account, write }: { readonly account: ObjectReference; readonly write: RequestedAction["write"] },
): void {
  const { uid = "" } = metaOf(body);
  if (uid === "" || uid === account.uid || !isSince(deps, UID_SINCE)) return;
  const { vocabulary, checksUid } = deps;
  const mismatch = `the UID in the token request (${uid}) does not match the UID of the service account (${account.uid})`;
  const group = vocabulary.groups.authentication;
  if (checksUid) throw conflict({ group, resource: "TokenRequest" }, account.name, mismatch);
  write.annotate?.(`${group}/token-request-uid-mismatch`, mismatch, "Metadata");
  const gate = "TokenRequestServiceAccountUIDValidation";
  write.warn(`${mismatch} but ${gate} is not enabled. In the future, this will return a conflict error`);
}

/** The request, with the granted values. */
function answerOf(
  body: JsonObject,
  made: {
    readonly account: ObjectReference;
    readonly audiences: readonly string[];
    readonly seconds: number;
    readonly nowMs: number;
    readonly token: string;
    /** Whether the answer has the UID of the account when the request has none. */
    readonly withUid: boolean;
  },
  namespace: string,
): JsonObject {
  const { account, audiences, seconds, nowMs, token, withUid } = made;
  const { boundObjectRef = null, ...spec } = body["spec"] as JsonObject;
  return {
    ...body,
    metadata: {
      ...(withUid && { uid: account.uid }),
      ...(isObject(body["metadata"]) ? body["metadata"] : {}),
      ...{ name: account.name, namespace, creationTimestamp: timestamp(nowMs) },
    },
    spec: { ...spec, audiences: [...audiences], expirationSeconds: seconds, boundObjectRef },
    status: { token, expirationTimestamp: timestamp(nowMs + seconds * 1000) },
  };
}

function shortened({ maxSeconds }: TokenRequestDeps, seconds: number, { warn }: RequestedAction["write"]): number {
  if (maxSeconds === 0 || seconds <= maxSeconds) return seconds;
  warn(`requested expiration of ${seconds} seconds shortened to ${maxSeconds} seconds`);
  return maxSeconds;
}

/** @throws StatusError NotFound (404), BadRequest (400), Conflict (409) */
async function boundOf(
  deps: TokenRequestDeps,
  { boundObjectRef }: RequestSpec,
  { namespace, name: account }: RequestedAction["key"],
): Promise<Bound> {
  if (boundObjectRef == null) return {};
  const { kind = "", apiVersion = "", name = "", uid = "" } = boundObjectRef;
  if (name === "" && kind !== "") throw badRequest("spec.boundObjectRef.name: must be set");
  const { pods, secrets, nodes } = deps.storages();
  const isCore = !apiVersion.includes("/");
  const inNamespace = { namespace, name };
  let found: JsonObject;
  let bound: Bound;
  if (isCore && kind === "Pod") {
    found = (await pods.get(inNamespace, MOST_RECENT)).object();
    const { serviceAccountName, nodeName } = isObject(found["spec"]) ? found["spec"] : {};
    if (serviceAccountName !== account) {
      throw badRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(account)} to a pod that runs as another serviceaccount`,
      );
    }
    const node = typeof nodeName === "string" && nodeName !== "" && isSince(deps, NAMED_SINCE) ? nodeName : undefined;
    bound = { pod: referenceTo(found), ...(node !== undefined && { node: await nodeNamed(nodes, node) }) };
  } else if (isCore && kind === "Secret") {
    found = (await secrets.get(inNamespace, MOST_RECENT)).object();
    bound = { secret: referenceTo(found) };
  } else if (isCore && kind === "Node" && isSince(deps, NODE_BOUND_SINCE)) {
    found = (await nodes.get({ namespace: "", name }, MOST_RECENT)).object();
    bound = { node: referenceTo(found) };
  } else {
    throw badRequest(`cannot bind token to object of type ${JSON.stringify(apiVersion)}, kind ${JSON.stringify(kind)}`);
  }
  const actual = metaOf(found).uid ?? "";
  if (uid !== "" && uid !== actual) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record (${actual}). The object might have been deleted and then recreated`;
    throw conflict({ group: "", resource: kind }, name, why);
  }
  return bound;
}

/** A deleted node leaves only its name. */
async function nodeNamed(nodes: ResourceStorage, name: string): Promise<ObjectReference> {
  try {
    return referenceTo((await nodes.get({ namespace: "", name }, MOST_RECENT)).object());
  } catch (error) {
    if (isReason(error, "NotFound")) return { name, uid: "" };
    throw error;
  }
}

function referenceTo(object: JsonObject): ObjectReference {
  const { name = "", uid = "" } = metaOf(object);
  return { name, uid };
}
