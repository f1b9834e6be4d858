// An APIService as the server uses it: the registered group version and the server behind it.
import { metaOf } from "@orch/machinery";
import type { Entry } from "@orch/registry";
import type { apiregistrationV1, JsonObject, Vocabulary } from "@orch/schema";
import type { ServiceReference } from "../services/service-address";

/**
 * Management of an APIService by the server (label `kube-aggregator.kubernetes.io/automanaged`). Source:
 * staging/src/k8s.io/kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go.
 */
export type Automation = "onstart" | "true";

export interface Registration {
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly automation: Automation | undefined;
  /** Undefined: this server serves the group version itself. */
  readonly backend: RegisteredBackend | undefined;
  readonly condition: AvailableCondition | undefined;
}

export interface RegisteredBackend {
  readonly service: ServiceReference;
  /** PEM; "": the trust store of the machine. */
  readonly ca: string;
  readonly verified: boolean;
}

export interface AvailableCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** An APIService that refers to an aggregated API server. */
export type RemoteRegistration = Registration & { readonly backend: RegisteredBackend };

export const isRemote = (registration: Registration): registration is RemoteRegistration =>
  registration.backend !== undefined;

export const AVAILABLE = "Available";
const DEFAULT_PORT = 443;

/** Returns the required name of the APIService of a group version. */
export const registrationName = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  `${version}.${group}`;

/** Reads an APIService. @throws StatusError for an object that would take long to parse */
export function readRegistration(entry: Entry, vocabulary: Vocabulary): Registration {
  const object = entry.whole();
  const { metadata, spec: stated, status } = object as unknown as Partial<apiregistrationV1.APIService>;
  const spec: Partial<apiregistrationV1.APIServiceSpec> = stated ?? {};
  const { uid = "" } = metaOf(object as JsonObject);
  const label = metadata?.labels?.[vocabulary.labels.aggregatorAutomanaged];
  const condition = status?.conditions?.find(({ type }) => type === AVAILABLE);
  return {
    name: entry.name,
    uid,
    group: spec.group ?? "",
    version: spec.version ?? "",
    groupPriority: Number(spec.groupPriorityMinimum ?? 0),
    versionPriority: Number(spec.versionPriority ?? 0),
    automation: label === "onstart" || label === "true" ? label : undefined,
    backend: backendOf(spec),
    condition: condition && {
      status: condition.status ?? "",
      reason: condition.reason ?? "",
      message: condition.message ?? "",
    },
  };
}

function backendOf({
  service,
  caBundle = "",
  insecureSkipTLSVerify,
}: Partial<apiregistrationV1.APIServiceSpec>): RegisteredBackend | undefined {
  if (service === undefined || service === null) return undefined;
  const { namespace = "", name = "", port = DEFAULT_PORT } = service;
  return {
    service: { namespace, name, port },
    ca: caBundle === "" ? "" : Buffer.from(caBundle, "base64").toString(),
    verified: insecureSkipTLSVerify !== true,
  };
}

/** Reports whether both refer to the same server with the same TLS settings. */
export function sameBackend(one: Registration, other: Registration): boolean {
  const [a, b] = [one.backend, other.backend];
  if (a === undefined || b === undefined) return a === b;
  return (
    one.uid === other.uid &&
    a.ca === b.ca &&
    a.verified === b.verified &&
    a.service.namespace === b.service.namespace &&
    a.service.name === b.service.name &&
    a.service.port === b.service.port
  );
}
