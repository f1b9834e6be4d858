// `orch auth reconcile`: makes roles and bindings have at least the rules and subjects of files. Source:
// kubectl/pkg/cmd/auth/reconcile.go, component-helpers/auth/rbac/reconciliation.
import { type PolicyRule, ruleText, type Subject } from "@orch/access";
import { builtInTypes, type Client, type ResourceClient, type ResourceType } from "@orch/client";
import { isCode } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { vocabularyOf } from "@orch/schema";
import { visible } from "../../output/columns";
import { CliError } from "../../process/cli-error";
import { readManifests } from "../../resources/manifests";
import type { Session } from "../../session/session";
import { missingRules, missingSubjects } from "./rbac-differences";

export interface ReconcileOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly removeExtraPermissions?: boolean;
  readonly removeExtraSubjects?: boolean;
  readonly dryRun?: string | boolean;
}

const KINDS = {
  Role: "roles",
  ClusterRole: "clusterRoles",
  RoleBinding: "roleBindings",
  ClusterRoleBinding: "clusterRoleBindings",
} as const;
const TRIES_MAX = 3;

interface RbacObject extends JsonObject {
  readonly metadata: JsonObject & { readonly name: string; readonly namespace?: string };
}

export async function reconcile(session: Session, options: ReconcileOptions): Promise<void> {
  const { filename, recursive = false, dryRun } = options;
  if (filename === undefined) throw new CliError("must specify one of -f");
  if (dryRun !== undefined && dryRun !== "client" && dryRun !== "none" && dryRun !== true) {
    throw new CliError(`--dry-run=${String(dryRun)} for command reconcile is not supported yet: use client`);
  }
  const client = await session.client();
  for await (const { object } of readManifests(filename, session.io, {
    recursive,
    timeoutMs: session.requestTimeoutMs(),
  })) {
    const kind = String(object["kind"]) as keyof typeof KINDS;
    const { groups } = vocabularyOf(client.vocabulary);
    if (!(kind in KINDS) || !String(object["apiVersion"]).startsWith(`${groups.rbac}/`)) continue;
    if (object["apiVersion"] !== `${groups.rbac}/v1`) {
      throw new CliError(`only ${groups.rbac}/v1 is supported: not ${String(object["apiVersion"])}`);
    }
    await reconcileObject(session, client, { kind, object: object as RbacObject, options });
  }
}

interface Work {
  readonly kind: keyof typeof KINDS;
  readonly object: RbacObject;
  readonly options: ReconcileOptions;
}

async function reconcileObject(session: Session, client: Client, { kind, object, options }: Work): Promise<void> {
  const type = builtInTypes(client.vocabulary)[KINDS[kind]] as ResourceType<object> as ResourceType<RbacObject>;
  const namespace = type.namespaced ? (object.metadata.namespace ?? session.namespace) : undefined;
  const whole = client.resource(type);
  const resource = namespace === undefined ? whole : whole.namespace(namespace);
  const writes = options.dryRun === undefined || options.dryRun === "none";
  for (let tries = 1; ; tries += 1) {
    try {
      const lines = await oneAttempt(resource, { kind, object, options, writes }, async () => {
        if (namespace !== undefined) await makeNamespace(client, namespace);
      });
      const suffix = writes ? "" : " (dry run)";
      session.write(`${kind.toLowerCase()}.${type.group}/${visible(object.metadata.name)} reconciled${suffix}\n`);
      for (const line of lines) session.tell(`\t${visible(line)}`);
      return;
    } catch (error) {
      if (!isCode(error, 409) || tries >= TRIES_MAX) throw error;
    }
  }
}

/** @returns what was changed, line by line */
async function oneAttempt(
  resource: ResourceClient<RbacObject>,
  { kind, object, options, writes }: Work & { readonly writes: boolean },
  beforeCreation: () => Promise<void>,
): Promise<readonly string[]> {
  const stored = await resource.find(object.metadata.name);
  if (stored === undefined) {
    if (writes) {
      await beforeCreation();
      await resource.create(object);
    }
    return ["reconciliation required create"];
  }
  const isRole = kind === "Role" || kind === "ClusterRole";
  if (!isRole && JSON.stringify(named(stored["roleRef"])) !== JSON.stringify(named(object["roleRef"]))) {
    if (writes) {
      await resource.delete(object.metadata.name);
      await resource.create(object);
    }
    return ["reconciliation required recreate"];
  }
  const { changed, lines } = isRole ? ofRole(stored, object, options) : ofBinding(stored, object, options);
  if (lines.length === 0) return [];
  if (writes) await resource.update({ ...stored, ...changed });
  return ["reconciliation required update", ...lines];
}

function ofRole(stored: RbacObject, object: RbacObject, { removeExtraPermissions }: ReconcileOptions) {
  const [before, wanted] = [stored, object].map(({ rules }) => (rules ?? []) as readonly PolicyRule[]) as [
    readonly PolicyRule[],
    readonly PolicyRule[],
  ];
  const missing = missingRules(before, wanted);
  const extra = removeExtraPermissions === true ? missingRules(wanted, before) : [];
  const rules = extra.length > 0 ? wanted : [...before, ...missing];
  const lines = [
    ...titled("missing rules added:", missing.map(ruleText)),
    ...titled("extra rules removed:", extra.map(ruleText)),
  ];
  return { changed: { rules } as unknown as JsonObject, lines };
}

function ofBinding(stored: RbacObject, object: RbacObject, { removeExtraSubjects }: ReconcileOptions) {
  const [before, wanted] = [stored, object].map(({ subjects }) => (subjects ?? []) as readonly Subject[]) as [
    readonly Subject[],
    readonly Subject[],
  ];
  const missing = missingSubjects(before, wanted);
  const extra = removeExtraSubjects === true ? missingSubjects(wanted, before) : [];
  const subjects = extra.length > 0 ? wanted : [...before, ...missing];
  const text = ({ kind = "", name = "", namespace }: Subject) =>
    `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  const lines = [
    ...titled("missing subjects added:", missing.map(text)),
    ...titled("extra subjects removed:", extra.map(text)),
  ];
  return { changed: { subjects } as unknown as JsonObject, lines };
}

const titled = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];

const named = (reference: unknown) => {
  const { kind, name } = (reference ?? {}) as { readonly kind?: string; readonly name?: string };
  return { kind, name };
};

async function makeNamespace(client: Client, name: string): Promise<void> {
  const { namespaces } = builtInTypes(client.vocabulary);
  try {
    await client.resource(namespaces).create({ metadata: { name } });
  } catch (error) {
    // Users who may not create namespaces may work in those that exist.
    if (!isCode(error, 409) && !isCode(error, 403)) throw error;
  }
}
