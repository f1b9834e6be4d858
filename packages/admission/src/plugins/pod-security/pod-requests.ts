// Evaluates pods and pod templates. Pods may be refused; templates only cause warnings and audit annotations. Source:
// KEP-2579, "Pod Security Admission Control".
import { type AdmissionRequest, field, internalError } from "@orch/machinery";
import type { coreV1, metaV1 } from "@orch/schema";
import type { MaybePromise } from "../../contract/dependencies";
import { forbidden } from "../../contract/refusal";
import { checkedPod } from "./controls/checked-pod";
import type { Violation } from "./controls/control";
import { violationsText } from "./evaluation";
import { isSamePolicy, type LevelVersion, levelVersionText } from "./level-version";
import { isFullyPrivileged, type Labels, type NamespacePolicy } from "./namespace-policy";
import { annotateExemption, type PodSecurityContext, policyIn } from "./pod-security-context";

/** A pod, or the template of one. */
export interface PodShape {
  readonly metadata?: metaV1.ObjectMeta;
  readonly spec?: coreV1.PodSpec;
}

const NAMESPACES = { group: "", resource: "namespaces" } as const;

/** Evaluates a pod. @throws StatusError Forbidden (403); InternalError (500) when the namespace cannot be read */
export function handlePod(context: PodSecurityContext, request: AdmissionRequest): void | Promise<void> {
  if (isExempt(context, request)) return;
  const labels = namespaceLabels(context, request.namespace);
  const judge = (known: Labels | undefined): void | Promise<void> => {
    if (known === undefined) throw namespaceUnknown(context, request);
    const policy = policyIn(context, known);
    if (policy.errors.length === 0 && isFullyPrivileged(policy.modes)) {
      request.annotate(context.vocabulary.auditAnnotations.podSecurityEnforcePolicy, levelVersionText(PRIVILEGED));
      context.counts.evaluated(request, "allow", "enforce", policy.modes.enforce);
      return;
    }
    const [pod, old] = [request.object as PodShape, request.oldObject as PodShape | undefined];
    if (request.operation === "UPDATE" && !changesContainers(pod, old ?? {})) return;
    return evaluate(context, request, pod, policy, true);
  };
  if (!(labels instanceof Promise)) return judge(labels);
  return labels.then(judge, (error) => {
    throw namespaceUnknown(context, request, error);
  });
}

/** Evaluates a pod template. Never refuses. */
export function handlePodTemplate(
  context: PodSecurityContext,
  request: AdmissionRequest,
  template: PodShape | undefined,
): void | Promise<void> {
  if (isExempt(context, request)) return;
  const labels = namespaceLabels(context, request.namespace);
  const judge = (known: Labels | undefined): void | Promise<void> => {
    if (known === undefined) {
      namespaceUnknown(context, request);
      return;
    }
    const policy = policyIn(context, known);
    const { audit, warn } = policy.modes;
    if (policy.errors.length === 0 && audit.level === "privileged" && warn.level === "privileged") return;
    if (template !== undefined) return evaluate(context, request, template, policy, false);
  };
  if (!(labels instanceof Promise)) return judge(labels);
  return labels.then(judge, () => judge(undefined));
}

const PRIVILEGED: LevelVersion = { level: "privileged", version: "latest" };

function isExempt(context: PodSecurityContext, request: AdmissionRequest): boolean {
  const { namespaces, usernames } = context.configuration.exemptions;
  const why = namespaces.has(request.namespace) ? "namespace" : usernames.has(request.user.name) ? "user" : undefined;
  if (why === undefined) return false;
  annotateExemption(context, request, why);
  context.counts.exempted(request);
  return true;
}

/** Returns the namespace's labels from the cache, or from the store when the cache does not have the namespace. */
function namespaceLabels({ objects }: PodSecurityContext, namespace: string): MaybePromise<Labels | undefined> {
  const at = { namespace: "", name: namespace };
  const inStore = async (): Promise<Labels | undefined> => {
    const found = await objects.inStore(NAMESPACES, at);
    return found && ((found["metadata"] as metaV1.ObjectMeta | undefined)?.labels ?? {});
  };
  const known = objects.labels(NAMESPACES, at);
  if (known instanceof Promise) return known.then((labels) => labels ?? inStore());
  return known ?? inStore();
}

function namespaceUnknown(context: PodSecurityContext, request: AdmissionRequest, cause?: unknown): Error {
  const isPod = request.definition.plural === "pods";
  const text = `failed to lookup namespace ${JSON.stringify(request.namespace)}`;
  request.annotate(context.vocabulary.auditAnnotations.podSecurityError, text);
  context.counts.failed(request, isPod);
  return internalError(text, { cause });
}

/** Returns whether an update changes the containers. Other updates cannot change the outcome of a level. */
function changesContainers(pod: PodShape, old: PodShape): boolean {
  const [next, before] = [pod.spec, old.spec];
  return (
    changesImages(next?.containers, before?.containers) ||
    changesImages(next?.initContainers, before?.initContainers) ||
    joinsOrChanges(next?.ephemeralContainers, before?.ephemeralContainers)
  );
}

type Named = readonly Pick<coreV1.Container, "name" | "image">[] | null | undefined;

const changesImages = (next: Named, old: Named): boolean =>
  (next?.length ?? 0) !== (old?.length ?? 0) || (next ?? []).some(({ image }, at) => image !== old?.[at]?.image);

function joinsOrChanges(next: Named, old: Named): boolean {
  const images = new Map((old ?? []).map(({ name, image }) => [name, image]));
  return (next ?? []).some(({ name, image }) => !images.has(name) || images.get(name) !== image);
}

function evaluate(
  context: PodSecurityContext,
  request: AdmissionRequest,
  { metadata, spec }: PodShape,
  policy: NamespacePolicy,
  enforces: boolean,
): void | Promise<void> {
  if (spec === undefined) return;
  const { configuration, vocabulary, counts } = context;
  const keys = vocabulary.auditAnnotations;
  if (configuration.exemptions.runtimeClasses.has(spec.runtimeClassName ?? "")) {
    annotateExemption(context, request, "runtimeClass");
    counts.exempted(request);
    return;
  }
  if (policy.errors.length > 0) {
    const texts = policy.errors.map(field.fieldErrorText);
    const text = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
    request.annotate(keys.podSecurityError, `Failed to parse policy: ${text}`);
    counts.failed(request, false);
  }
  const pod = checkedPod({ annotations: metadata?.annotations, spec }, vocabulary.annotations);
  const { enforce, audit, warn } = policy.modes;
  const asked = enforces ? [enforce, audit, warn] : [audit, warn];
  const found = violationsOf(context, asked, pod);
  const tell = (verdicts: readonly (readonly Violation[])[]): void => {
    const [ofAudit, ofWarn] = verdicts.slice(-2) as [readonly Violation[], readonly Violation[]];
    const ofEnforce = enforces ? (verdicts[0] as readonly Violation[]) : [];
    if (enforces) {
      request.annotate(keys.podSecurityEnforcePolicy, levelVersionText(enforce));
      counts.evaluated(request, ofEnforce.length > 0 ? "deny" : "allow", "enforce", enforce);
    }
    if (ofAudit.length > 0) {
      request.annotate(keys.podSecurityAuditViolations, `would ${violationText(audit, ofAudit)}`);
      counts.evaluated(request, "deny", "audit", audit);
    }
    if (ofEnforce.length > 0) throw forbidden(request, `violates ${policyText(enforce)}: ${violationsText(ofEnforce)}`);
    if (ofWarn.length > 0) {
      request.warn(`would ${violationText(warn, ofWarn)}`);
      counts.evaluated(request, "deny", "warn", warn);
    }
  };
  return found instanceof Promise ? found.then(tell) : tell(found);
}

/** Returns the violations of each policy. Equal policies are evaluated once. */
function violationsOf(
  { evaluation }: PodSecurityContext,
  asked: readonly LevelVersion[],
  pod: ReturnType<typeof checkedPod>,
): MaybePromise<readonly (readonly Violation[])[]> {
  const found: MaybePromise<readonly Violation[]>[] = [];
  asked.forEach((policy, at) => {
    const same = asked.findIndex((other) => isSamePolicy(other, policy));
    found.push(same < at ? (found[same] as MaybePromise<readonly Violation[]>) : evaluation.violations(policy, pod));
  });
  return found.some((each) => each instanceof Promise)
    ? Promise.all(found)
    : (found as readonly (readonly Violation[])[]);
}

const policyText = (policy: LevelVersion): string => `PodSecurity ${JSON.stringify(levelVersionText(policy))}`;

const violationText = (policy: LevelVersion, violations: readonly Violation[]): string =>
  `violate ${policyText(policy)}: ${violationsText(violations)}`;
