// Applies the defaults of a policy to a pod. Set fields are kept. The pod itself is not modified, and is returned as it
// is when nothing is added. Source: pkg/security/podsecuritypolicy/provider.go.
import type { coreV1 } from "@orch/schema";
import type { EventLoopYielder } from "../../contract/dependencies";
import { CONTAINER_LISTS } from "./containers";
import { effective, type Policy } from "./policy";

type Annotations = Readonly<Record<string, string>>;

export async function defaultedPod(
  pod: coreV1.Pod,
  policy: Policy,
  keys: PolicyKeys,
  yielder: EventLoopYielder,
): Promise<coreV1.Pod> {
  const { metadata = {}, spec } = pod;
  if (spec === undefined) return pod;
  const stated = metadata.annotations ?? {};
  const security = podContext(spec.securityContext, policy);
  const added: Record<string, string> = {};
  const seccomp = policy.seccomp.annotationFor(stated, spec.securityContext);
  if (seccomp !== undefined) added[keys.seccompSecurityAlphaPod] = seccomp;
  const runtimeClass =
    spec.runtimeClassName === undefined ? policy.spec.runtimeClass?.defaultRuntimeClassName : undefined;
  const lists = await containerLists(spec, { policy, security, stated, added, yielder });
  const isSame =
    security === spec.securityContext &&
    runtimeClass === undefined &&
    lists === NONE &&
    Object.keys(added).length === 0;
  if (isSame) return pod;
  return {
    ...pod,
    metadata: Object.keys(added).length === 0 ? metadata : { ...metadata, annotations: { ...stated, ...added } },
    spec: {
      ...spec,
      ...lists,
      ...(security !== undefined && { securityContext: security }),
      ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
    },
  };
}

export interface PolicyKeys {
  readonly seccompSecurityAlphaPod: string;
}

type PodContext = coreV1.PodSecurityContext | undefined;

function podContext(stated: PodContext, policy: Policy): PodContext {
  const { supplementalGroups, fsGroup, seLinux } = policy;
  return withMissing(stated, {
    supplementalGroups: supplementalGroups.given === undefined ? undefined : [supplementalGroups.given as number],
    fsGroup: fsGroup.given as number | undefined,
    seLinuxOptions: seLinux.given,
  });
}

interface Filling {
  readonly policy: Policy;
  /** Security context of the pod with defaults. */
  readonly security: PodContext;
  readonly stated: Annotations;
  /** Receives the annotations for containers. */
  readonly added: Record<string, string>;
  readonly yielder: EventLoopYielder;
}

type Lists = Partial<Pick<coreV1.PodSpec, (typeof CONTAINER_LISTS)[number]>>;

const NONE: Lists = Object.freeze({});

/** Returns the container lists that change. */
async function containerLists(spec: coreV1.PodSpec, filling: Filling): Promise<Lists> {
  const changed: Record<string, readonly coreV1.Container[]> = {};
  for (const list of CONTAINER_LISTS) {
    const containers = (spec[list] ?? []) as readonly coreV1.Container[];
    const next: coreV1.Container[] = [];
    let isSame = true;
    for (const container of containers) {
      if (filling.yielder.isOver) await filling.yielder.next();
      const filled = filledContainer(container, filling);
      if (filled !== container) isSame = false;
      next.push(filled);
    }
    if (!isSame) changed[list] = next;
  }
  return Object.keys(changed).length === 0 ? NONE : (changed as Lists);
}

function filledContainer(container: coreV1.Container, { policy, security, stated, added }: Filling): coreV1.Container {
  const profile = policy.appArmor.annotationFor(stated, container.name);
  if (profile !== undefined) added[profile[0]] = profile[1];
  const own = container.securityContext;
  const { runAsUser, runAsGroup, runAsNonRoot, seLinuxOptions } = effective(security, own);
  const user = runAsUser ?? (policy.runAsUser.given as number | undefined);
  const isUnmarked = runAsNonRoot === undefined && user === undefined;
  const { spec } = policy;
  const capabilities = policy.capabilities.given(own?.capabilities);
  const filled = withMissing(own, {
    runAsUser: runAsUser === undefined ? user : undefined,
    runAsGroup: runAsGroup === undefined ? (policy.runAsGroup.given as number | undefined) : undefined,
    seLinuxOptions: seLinuxOptions === undefined ? policy.seLinux.given : undefined,
    runAsNonRoot: isUnmarked && policy.runAsUser.marksNonRoot ? true : undefined,
    readOnlyRootFilesystem: spec.readOnlyRootFilesystem === true ? true : undefined,
    allowPrivilegeEscalation:
      spec.defaultAllowPrivilegeEscalation ?? (spec.allowPrivilegeEscalation === false ? false : undefined),
  });
  if (capabilities === filled?.capabilities && filled === own) return container;
  return { ...container, securityContext: { ...filled, ...(capabilities !== undefined && { capabilities }) } };
}

/** Returns `stated` with the missing members added; `stated` itself when none is missing. */
function withMissing<Context extends object>(
  stated: Context | undefined,
  given: { readonly [Name in keyof Context]?: Context[Name] | undefined },
): Context | undefined {
  const missing = Object.entries(given).filter(
    ([name, value]) => value !== undefined && (stated as Record<string, unknown> | undefined)?.[name] === undefined,
  );
  return missing.length === 0 ? stated : ({ ...stated, ...Object.fromEntries(missing) } as Context);
}
