// Audiences of the tokens that a kubelet requests: those that the pod's volumes name, and those that the kubelet is
// granted by the verb `request-serviceaccounts-token-audience`. Source: KEP-4412;
// plugin/pkg/admission/noderestriction/admission.go.
import type { Authorizer } from "@orch/auth";
import { type AdmissionRequest, metaOf } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { AdmissionDependencies } from "../../contract/dependencies";
import { type Problem, said } from "./node-rule";

/** @returns the problem; undefined when the audience is allowed */
export type AudienceRule = (request: AdmissionRequest, pod: JsonObject) => Promise<string | undefined>;

export type AudienceParts = Pick<AdmissionDependencies, "objects" | "vocabulary" | "authorizer">;

const CLAIMS = { group: "", resource: "persistentvolumeclaims" } as const;
const VOLUMES = { group: "", resource: "persistentvolumes" } as const;

/** CSI drivers that replace volume plugins of Kubernetes, by the member of the volume source. */
const MIGRATED: Readonly<Record<string, string>> = {
  awsElasticBlockStore: "ebs.csi.aws.com",
  azureDisk: "disk.csi.azure.com",
  azureFile: "file.csi.azure.com",
  cinder: "cinder.csi.openstack.org",
  gcePersistentDisk: "pd.csi.storage.gke.io",
  portworxVolume: "pxd.portworx.com",
  vsphereVolume: "csi.vsphere.vmware.com",
};

export function audienceRules({ objects, vocabulary, authorizer }: AudienceParts): AudienceRule {
  const drivers = { group: vocabulary.groups.storage, resource: "csidrivers" };

  async function hasDriverAudience(driver: string, audience: string): Promise<boolean | { readonly error: string }> {
    const found = await objects.inStore(drivers, { namespace: "", name: driver });
    if (found === undefined) return { error: `csidriver ${said(driver)} not found` };
    return listIn(found["spec"], "tokenRequests").some((each) => textIn(each, "audience") === audience);
  }

  /** Returns the driver of a claim's volume; "" for a volume of no driver. */
  async function driverOfClaim(namespace: string, name: string): Promise<string | { readonly error: string }> {
    const claim = await objects.inStore(CLAIMS, { namespace, name });
    if (claim === undefined) return { error: `persistentvolumeclaim ${said(name)} not found` };
    const volume = textIn(claim["spec"], "volumeName");
    const found = volume === "" ? undefined : await objects.inStore(VOLUMES, { namespace: "", name: volume });
    return found === undefined
      ? { error: `persistentvolume ${said(volume)} not found` }
      : driverOfSource(found["spec"]);
  }

  async function driverOf(volume: JsonValue, pod: JsonObject): Promise<string | { readonly error: string }> {
    const { name = "", namespace = "" } = metaOf(pod);
    const ephemeral = memberOf(memberOf(volume, "ephemeral"), "volumeClaimTemplate");
    if (ephemeral !== undefined) return driverOfClaim(namespace, `${name}-${textIn(volume, "name")}`);
    const claim = memberOf(volume, "persistentVolumeClaim");
    return claim === undefined ? driverOfSource(volume) : driverOfClaim(namespace, textIn(claim, "claimName"));
  }

  /** Whether a volume of the pod names the audience. Volumes whose driver is unknown are reported if none does. */
  async function isReferenced(pod: JsonObject, audience: string): Promise<boolean | { readonly error: string }> {
    const errors: string[] = [];
    for (const volume of listIn(pod["spec"], "volumes")) {
      const sources = listIn(memberOf(volume, "projected"), "sources");
      const tokens = sources.map((each) => memberOf(each, "serviceAccountToken")).filter((each) => each !== undefined);
      if (tokens.some((each) => textIn(each, "audience") === audience)) return true;
      const driver = await driverOf(volume, pod);
      if (driver === "") continue;
      const has = typeof driver === "string" ? await hasDriverAudience(driver, audience) : driver;
      if (has === true) return true;
      if (has !== false) errors.push(has.error);
    }
    return errors.length === 0 ? false : { error: errors.join("; ") };
  }

  return async (request, pod) => {
    const audiences = listIn(request.object?.["spec"], "audiences");
    if (audiences.length > 1) return "node may only request 0 or 1 audiences";
    const [audience = ""] = audiences as readonly string[];
    const referenced = await isReferenced(pod, audience);
    if (referenced === true) return undefined;
    if (referenced !== false) return `error validating audience ${said(audience)}: ${referenced.error}`;
    return grantProblem(authorizer, request, audience);
  };
}

async function grantProblem(
  authorizer: Pick<Authorizer, "authorize">,
  { user, namespace, name }: AdmissionRequest,
  audience: string,
): Promise<Problem> {
  const { kind, error } = await authorizer.authorize({
    ...{ kind: "resource", user, verb: "request-serviceaccounts-token-audience", apiGroup: "", apiVersion: "v1" },
    ...{ resource: audience, subresource: "", namespace, name },
  });
  if (kind === "allow") return undefined;
  const missing = `audience ${said(audience)} not found in pod spec volume`;
  return error === undefined
    ? `${missing}, ${user.name} is not authorized to request tokens for this audience`
    : `${missing}, error authorizing ${user.name} to request tokens for this audience: ${error}`;
}

function driverOfSource(source: JsonValue | undefined): string {
  const csi = memberOf(source, "csi");
  if (csi !== undefined) return textIn(csi, "driver");
  const found = Object.keys(MIGRATED).find((name) => memberOf(source, name) !== undefined);
  return found === undefined ? "" : (MIGRATED[found] as string);
}

const memberOf = (value: JsonValue | undefined, name: string): JsonObject | undefined => {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : undefined;
};

function textIn(value: JsonValue | undefined, name: string): string {
  const member = isObject(value) ? value[name] : undefined;
  return typeof member === "string" ? member : "";
}

function listIn(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  const member = isObject(value) ? value[name] : undefined;
  return Array.isArray(member) ? member : [];
}
