// Access to devices through claims. Administrative access needs a label of the namespace, and changes of a claim's
// status need permission for what they change: `resourceclaims/binding` for the allocation and its users, and
// `resourceclaims/driver` with the name of the driver for its reports. Source: pkg/registry/resource/utils.go; KEP-5018,
// "DRA: AdminAccess for ResourceClaims and ResourceClaimTemplates".
import { type AdmissionRequest, type FieldError, field, invalid, sameJson } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionGuard } from "../contract/plugin";

type Dependencies = Pick<AdmissionDependencies, "vocabulary" | "authorizer" | "objects" | "options">;

const NAMESPACES = { group: "", resource: "namespaces" } as const;

export function deviceAccess(dependencies: Dependencies): AdmissionGuard {
  const group = dependencies.vocabulary.groups.resource;
  return {
    name: "DeviceAccess",
    on: [
      {
        operations: ["CREATE"],
        resources: [
          { group, plural: "resourceclaims", subresource: "" },
          { group, plural: "resourceclaimtemplates", subresource: "" },
        ],
      },
      { operations: ["UPDATE"], resources: [{ group, plural: "resourceclaims", subresource: "status" }] },
    ],
    check(request) {
      const { object, oldObject } = request;
      if (object === undefined) return;
      if (oldObject !== undefined) return checkStatus(request, new StatusChange(object, oldObject), dependencies);
      const path = requestedAdminAccess(object);
      return path === undefined ? undefined : requireAdminLabel(request, path, dependencies);
    },
  };
}

const valueAt = (value: JsonValue | undefined, ...names: readonly string[]): JsonValue | undefined =>
  names.reduce<JsonValue | undefined>((at, name) => (isObject(at) ? memberOf(at, name) : undefined), value);

const listAt = (value: JsonValue | undefined, ...names: readonly string[]): readonly JsonValue[] => {
  const found = valueAt(value, ...names);
  return Array.isArray(found) ? found : [];
};

/** Returns the path of the first request for administrative access, in a claim or a template. */
function requestedAdminAccess({ spec }: JsonObject): string | undefined {
  const devices = valueAt(spec, "devices") ?? valueAt(spec, "spec", "devices");
  const index = listAt(devices, "requests").findIndex((each) => valueAt(each, "exactly", "adminAccess") === true);
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`;
}

const firstAdminResult = (status: JsonValue | undefined): number =>
  listAt(status, "allocation", "devices", "results").findIndex((each) => valueAt(each, "adminAccess") === true);

/** @throws StatusError Invalid (422) unless the namespace permits administrative access */
async function requireAdminLabel(
  request: AdmissionRequest,
  path: string,
  { vocabulary, objects }: Dependencies,
): Promise<void> {
  const label = vocabulary.labels.resourceAdminAccess;
  const namespace = await objects.metadataInStore(NAMESPACES, { namespace: "", name: request.namespace });
  if (namespace?.labels?.[label] === "true") return;
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  throw invalid(request.definition, request.name, [field.forbidden(path, detail)]);
}

/** Changes of a claim by an update of its status. */
class StatusChange {
  private readonly next: JsonValue | undefined;
  private readonly old: JsonValue | undefined;

  constructor(object: JsonObject, oldObject: JsonObject) {
    this.next = object["status"];
    this.old = oldObject["status"];
  }

  /** Path of administrative access that the stored allocation does not have. */
  get adminAccess(): string | undefined {
    const index = firstAdminResult(this.next);
    if (index < 0 || firstAdminResult(this.old) >= 0) return undefined;
    return `status.allocation.devices.results[${index}].adminAccess`;
  }

  get changesBinding(): boolean {
    return ["allocation", "reservedFor"].some((name) => this.isOther(name));
  }

  /** Drivers whose reports are added, changed or removed. A claim without an allocation loses all of them. */
  get drivers(): readonly string[] {
    if (!isObject(valueAt(this.next, "allocation"))) return [];
    const [next, old] = [reportsOf(this.next), reportsOf(this.old)];
    const changed = new Set<string>();
    for (const [key, report] of next) {
      const before = old.get(key);
      if (before === undefined || !sameJson(report, before)) changed.add(driverOf(report));
    }
    for (const [key, report] of old) if (!next.has(key)) changed.add(driverOf(report));
    return [...changed].sort();
  }

  /** Name of the only node that can use the devices; "" when several can. */
  get nodeName(): string {
    const terms = listAt(this.next, "allocation", "nodeSelector", "nodeSelectorTerms");
    const [term] = terms;
    const fields = listAt(term, "matchFields");
    const [only] = fields;
    const [name, ...others] = listAt(only, "values");
    const isOne = terms.length === 1 && fields.length === 1 && listAt(term, "matchExpressions").length === 0;
    const isName = valueAt(only, "key") === "metadata.name" && valueAt(only, "operator") === "In";
    return isOne && isName && others.length === 0 && typeof name === "string" ? name : "";
  }

  private isOther(name: string): boolean {
    return !sameJson(valueAt(this.next, name) ?? null, valueAt(this.old, name) ?? null);
  }
}

const driverOf = (report: JsonValue): string => String(valueAt(report, "driver") ?? "");

const IDENTITY = ["driver", "pool", "device", "shareID"];

const reportsOf = (status: JsonValue | undefined): ReadonlyMap<string, JsonValue> =>
  new Map(
    listAt(status, "devices").map((report) => [IDENTITY.map((name) => valueAt(report, name) ?? "").join("/"), report]),
  );

function checkStatus(
  request: AdmissionRequest,
  change: StatusChange,
  dependencies: Dependencies,
): Promise<void> | undefined {
  const { adminAccess } = change;
  const isGranular = dependencies.options.isOn("DRAResourceClaimGranularStatusAuthorization");
  const drivers = isGranular ? change.drivers : [];
  const binds = isGranular && change.changesBinding;
  if (adminAccess === undefined && !binds && drivers.length === 0) return undefined;
  return checkAll(request, { adminAccess, binds, drivers, nodeName: change.nodeName }, dependencies);
}

interface Checks {
  readonly adminAccess: string | undefined;
  readonly binds: boolean;
  readonly drivers: readonly string[];
  readonly nodeName: string;
}

async function checkAll(
  request: AdmissionRequest,
  { adminAccess, binds, drivers, nodeName }: Checks,
  dependencies: Dependencies,
): Promise<void> {
  if (adminAccess !== undefined) await requireAdminLabel(request, adminAccess, dependencies);
  const errors: FieldError[] = [];
  if (binds && !(await isAllowed(request, { subresource: "binding", verbs: VERBS }, dependencies))) {
    const detail = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission`;
    errors.push(field.forbidden("status.allocation", detail));
  }
  const verbs = driverVerbs(request, nodeName, dependencies);
  for (const name of drivers) {
    const asked = { subresource: "driver", verbs, namespace: request.namespace, name };
    if (await isAllowed(request, asked, dependencies)) continue;
    const detail = `changing status.devices of the driver ${name} requires resource="resourceclaims/driver", verb="${verbs[0]}" permission`;
    errors.push(field.forbidden("status.devices", detail));
  }
  if (errors.length > 0) throw invalid(request.definition, request.name, errors);
}

/** An admission request does not tell a patch from an update: permission for either is sufficient. */
const VERBS = ["update", "patch"] as const;

/** A service account of the node that has the devices needs less than others. */
function driverVerbs({ user }: AdmissionRequest, nodeName: string, { vocabulary }: Dependencies): readonly string[] {
  const nodes = user.extra?.[vocabulary.userExtraKeys.authenticationNodeName] ?? [];
  const isOfNode =
    nodeName !== "" && nodes.length === 1 && nodes[0] === nodeName && user.name.startsWith("system:serviceaccount:");
  const prefixes = isOfNode ? ["associated-node", "arbitrary-node"] : ["arbitrary-node"];
  return prefixes.flatMap((prefix) => VERBS.map((verb) => `${prefix}:${verb}`));
}

async function isAllowed(
  { user }: AdmissionRequest,
  asked: {
    readonly subresource: string;
    readonly verbs: readonly string[];
    readonly namespace?: string;
    readonly name?: string;
  },
  { authorizer, vocabulary }: Dependencies,
): Promise<boolean> {
  const { subresource, verbs, namespace = "", name = "" } = asked;
  for (const verb of verbs) {
    const decision = await authorizer.authorize({
      kind: "resource",
      user,
      verb,
      apiGroup: vocabulary.groups.resource,
      apiVersion: "v1",
      resource: "resourceclaims",
      subresource,
      namespace,
      name,
    });
    if (decision.kind === "allow") return true;
  }
  return false;
}
