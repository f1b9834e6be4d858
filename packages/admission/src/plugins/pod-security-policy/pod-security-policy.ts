// PodSecurityPolicy plugin: a pod needs a policy that its service account or its author may use and that it satisfies,
// with defaults applied. Source: plugin/pkg/admission/security/podsecuritypolicy/admission.go.
import type { Authorizer } from "@orch/auth";
import { type AdmissionRequest, type FieldError, field, type MutableAdmissionRequest, metaOf } from "@orch/machinery";
import type { coreV1, JsonObject, Vocabulary } from "@orch/schema";
import type { EventLoopYielder, ObjectLister } from "../../contract/dependencies";
import { definePlugin } from "../../contract/plugin";
import { forbidden } from "../../contract/refusal";
import { changesOnlyCollectorMetadata } from "../../requests/collector-metadata";
import { checkPod } from "./pod-check";
import { defaultedPod } from "./pod-defaults";
import { Policies, type Policy } from "./policy";
import { mayUse } from "./policy-use";

const POLICIES = { group: "policy", resource: "podsecuritypolicies" } as const;

export const podSecurityPolicy = definePlugin({
  name: "PodSecurityPolicy",
  reads: ["vocabulary", "release", "objects", "authorizer", "yielder"],
  make({ vocabulary, release, objects, authorizer, yielder }) {
    const context: Context = {
      vocabulary,
      authorizer,
      yielder,
      stored: objects.lister(POLICIES),
      policies: new Policies({ vocabulary, release }),
    };
    return {
      on: [{ operations: ["CREATE", "UPDATE"], resources: [{ group: "", plural: "pods", subresource: "" }] }],
      mutate: (request) => (request.operation === "CREATE" ? fill(context, request) : undefined),
      validate: (request) => (isOfNoConcern(request) ? undefined : judge(context, request)),
    };
  },
});

interface Context {
  readonly vocabulary: Vocabulary;
  readonly authorizer: Pick<Authorizer, "authorize">;
  readonly yielder: EventLoopYielder;
  readonly stored: ObjectLister;
  readonly policies: Policies;
}

/** Returns whether an update changes only metadata that the garbage collector maintains. */
const isOfNoConcern = ({ operation, object = {}, oldObject = {} }: AdmissionRequest): boolean =>
  operation === "UPDATE" && changesOnlyCollectorMetadata(object, oldObject);

/** @throws StatusError Forbidden (403) */
async function fill(context: Context, request: MutableAdmissionRequest): Promise<void> {
  const choice = await choose(context, request, { mayChange: true, first: undefined });
  if ("errors" in choice) throw refusal(request, "unable to admit pod", choice.errors);
  const { vocabulary } = context;
  const { pod, policy } = choice;
  const annotations = { ...pod.metadata?.annotations, [vocabulary.annotations.psp]: policy };
  request.object = { ...pod, metadata: { ...pod.metadata, annotations } } as unknown as JsonObject;
  request.annotate(vocabulary.auditAnnotations.podsecuritypolicyPolicyAdmitPolicy, policy);
}

/** @throws StatusError Forbidden (403) */
async function judge(context: Context, request: AdmissionRequest): Promise<void> {
  const { vocabulary } = context;
  const first = metaOf(request.object ?? {}).annotations?.[vocabulary.annotations.psp];
  const choice = await choose(context, request, { mayChange: false, first });
  if ("errors" in choice) throw refusal(request, "unable to validate pod", choice.errors);
  request.annotate(vocabulary.auditAnnotations.podsecuritypolicyPolicyValidatePolicy, choice.policy);
}

const refusal = (request: AdmissionRequest, what: string, errors: readonly FieldError[]): Error =>
  forbidden(request, `PodSecurityPolicy: ${what}: [${errors.map(field.fieldErrorText).join(" ")}]`);

type Choice = { readonly pod: coreV1.Pod; readonly policy: string } | { readonly errors: readonly FieldError[] };

/** Maximum number of violations over all policies; more are of no use in a message. */
const ERRORS_TOLD_MAX = 1000;

/** Chooses a policy. @param how.first the policy to try before all others */
async function choose(
  context: Context,
  request: AdmissionRequest,
  how: { readonly mayChange: boolean; readonly first: string | undefined },
): Promise<Choice> {
  const policies = inOrder(context.policies.of(await context.stored.all()), how.first);
  if (policies.length === 0)
    throw forbidden(request, "PodSecurityPolicy: no providers available to validate pod request");
  const pod = (request.object ?? {}) as coreV1.Pod;
  const account = pod.spec?.serviceAccountName;
  const isUsable = (policy: Policy) => mayUse(context.authorizer, request, account, policy.name);
  const { yielder } = context;
  const failed: { readonly policy: Policy; readonly errors: readonly FieldError[] }[] = [];
  let changed: Choice | undefined;
  for (const policy of policies) {
    if (yielder.isOver) await yielder.next();
    const filled = await defaultedPod(pod, policy, context.vocabulary.annotations, yielder);
    const findings = await checkPod(filled, policy, yielder);
    if (!findings.isEmpty) failed.push({ policy, errors: findings.errors });
    else if (filled === pod) {
      if (await isUsable(policy)) return { pod, policy: policy.name };
    } else if (how.mayChange && changed === undefined && (await isUsable(policy))) {
      changed = { pod: filled, policy: policy.name };
    }
  }
  if (changed !== undefined) return changed;
  const errors: FieldError[] = [];
  for (const each of failed) {
    if (errors.length >= ERRORS_TOLD_MAX) break;
    if (await isUsable(each.policy)) errors.push(...each.errors);
  }
  return { errors };
}

/**
 * Orders policies by name, except that the one that admitted the pod comes first, because it is likely to do so again.
 */
function inOrder(policies: readonly Policy[], first: string | undefined): readonly Policy[] {
  const one = first === undefined ? undefined : policies.find(({ name }) => name === first);
  return one === undefined ? policies : [one, ...policies.filter((each) => each !== one)];
}
