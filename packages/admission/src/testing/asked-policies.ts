// Outcome of policies for a pod: the admitted pod or the refusal, and the audit annotations.
import type { ResourceAttributes } from "@orch/auth";
import type { coreV1, JsonObject, policyV1beta1 } from "@orch/schema";
import { createAdmissionChain } from "../chain/chain";
import type { AdmissionDependencies } from "../contract/dependencies";
import { podSecurityPolicy } from "../plugins/pod-security-policy/pod-security-policy";
import { fakeDependencies, type RequestParts, requestOf } from "./admission-request";
import { storedObjects } from "./stored-objects";

type Spec = policyV1beta1.PodSecurityPolicySpec;
type Annotations = Readonly<Record<string, string>>;

/** Policy spec that allows everything. */
const OPEN: Spec = {
  privileged: true,
  volumes: ["*"],
  hostNetwork: true,
  hostPID: true,
  hostIPC: true,
  hostPorts: [{ min: 0, max: 65535 }],
  seLinux: { rule: "RunAsAny" },
  runAsUser: { rule: "RunAsAny" },
  fsGroup: { rule: "RunAsAny" },
  supplementalGroups: { rule: "RunAsAny" },
  allowedCapabilities: ["*"],
  allowedUnsafeSysctls: ["*"],
  allowedProcMountTypes: ["Default", "Unmasked"],
  allowPrivilegeEscalation: true,
};

const SECCOMP_ALLOWED = "seccomp.security.alpha.orch.io/allowedProfileNames";

/** Creates a policy. @param spec changes of the open spec; undefined removes a member */
export function policyOf(
  spec: { readonly [Name in keyof Spec]?: Spec[Name] | undefined } = {},
  { name = "p", annotations = { [SECCOMP_ALLOWED]: "*" } }: { name?: string; annotations?: Annotations } = {},
): JsonObject {
  const merged = Object.fromEntries(Object.entries({ ...OPEN, ...spec }).filter(([, value]) => value !== undefined));
  return {
    apiVersion: "policy/v1beta1",
    kind: "PodSecurityPolicy",
    metadata: { name, annotations: { ...annotations } },
    spec: merged as JsonObject,
  };
}

export interface PodParts {
  readonly annotations?: Annotations;
  readonly spec?: Partial<coreV1.PodSpec>;
  /** Security context of the pod. */
  readonly security?: coreV1.PodSecurityContext;
  /** Fields of the only container. */
  readonly container?: Partial<coreV1.Container>;
  /** Security context of the only container. */
  readonly contained?: coreV1.SecurityContext;
}

export const podOf = ({ annotations, spec, security, container, contained }: PodParts): JsonObject =>
  ({
    metadata: { name: "a", ...(annotations && { annotations }) },
    spec: {
      containers: [{ name: "c", image: "i", ...container, ...(contained && { securityContext: contained }) }],
      ...(security && { securityContext: security }),
      ...spec,
    },
  }) as unknown as JsonObject;

export interface Answer {
  readonly refusal?: string;
  /** The object after all plugins. */
  readonly object?: JsonObject | undefined;
  readonly audit: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly policies: readonly JsonObject[];
  readonly request: RequestParts;
  /** Absent: every policy may be used by anyone. */
  readonly mayUse?: (attributes: ResourceAttributes) => boolean;
  readonly dependencies?: Partial<AdmissionDependencies>;
  /** Absent: both phases. */
  readonly phase?: "mutate" | "validate";
}

export async function askPolicies({
  policies,
  request: parts,
  mayUse = () => true,
  dependencies,
  phase,
}: Asked): Promise<Answer> {
  const chain = createAdmissionChain({
    plugins: [podSecurityPolicy],
    dependencies: fakeDependencies({
      ...storedObjects(policies),
      authorizer: {
        authorize: (attributes) => {
          const isAllowed = attributes.kind === "resource" && mayUse(attributes);
          return isAllowed ? { kind: "allow", reason: "" } : { kind: "noOpinion", reason: "" };
        },
      },
      ...dependencies,
    }),
  });
  const audit: Record<string, string> = {};
  const request = requestOf({ plural: "pods", ...parts });
  request.annotate = (key, value) => {
    audit[key] ??= value;
  };
  try {
    if (phase !== "validate") await chain.mutate(request);
    if (phase !== "mutate") await chain.validate(request);
    return { object: request.object, audit };
  } catch (error) {
    return { refusal: (error as Error).message, audit };
  }
}
