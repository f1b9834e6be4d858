// Type-checks the expressions of ValidatingAdmissionPolicies and writes warnings into their status. Every replica
// checks; the first one writes, because a status is written only over the policy that was checked.
import { typeCheckingSteps } from "@orch/admission";
import { type GroupResource, isReason, metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { EventLoopYielder } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { ServedResources } from "@orch/served-resources";
import { type AdmissionReaders, objectWriter } from "@orch/server-admission";

export interface PolicyStatusParts {
  readonly vocabulary: Vocabulary;
  readonly readers: Pick<AdmissionReaders, "objects">;
  readonly resources: Pick<ServedResources, "find" | "named" | "definitions">;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
}

/** Interval between checks. Without changes a check is one comparison. */
const EVERY_MS = 1000;

export class PolicyStatus {
  private timer: NodeJS.Timeout | undefined;
  private seen: readonly JsonObject[] | undefined;
  private isClosed = false;
  private readonly resource: GroupResource;
  private readonly writer;

  constructor(private readonly parts: PolicyStatusParts) {
    this.resource = { group: parts.vocabulary.groups.admissionregistration, resource: "validatingadmissionpolicies" };
    this.writer = objectWriter({ vocabulary: parts.vocabulary, resources: () => parts.resources });
  }

  start(): void {
    if (this.parts.resources.find(this.resource) !== undefined) this.again();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private again(): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.look().finally(() => this.again()), EVERY_MS).unref();
  }

  private async look(): Promise<void> {
    const { readers, logger } = this.parts;
    try {
      const policies = await readers.objects.lister(this.resource).all();
      if (policies === this.seen) return;
      for (const policy of policies) {
        if (this.isClosed) return;
        if (!isLookedAt(policy)) await this.check(policy);
      }
      this.seen = policies;
    } catch (error) {
      if (!this.isClosed) logger.warn("cannot type-check the expressions of policies yet", errorFields(error));
    }
  }

  private async check(policy: JsonObject): Promise<void> {
    const { vocabulary, resources, loop } = this.parts;
    const spec = (policy["spec"] ?? {}) as Parameters<typeof typeCheckingSteps>[0];
    const steps = typeCheckingSteps(spec, { vocabulary, definitions: resources.definitions() });
    let step = steps.next();
    while (step.done !== true) {
      if (loop.isOver) await loop.next();
      if (this.isClosed) return;
      step = steps.next();
    }
    const { generation } = metaOf(policy);
    const before = (policy["status"] ?? {}) as JsonObject;
    const status = {
      ...before,
      typeChecking: step.value,
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    try {
      await this.writer.update(this.resource, { ...policy, status }, "status");
    } catch (error) {
      // Another replica was first, or the policy has changed: it is checked again.
      if (!isReason(error, "Conflict") && !isReason(error, "NotFound")) throw error;
    }
  }
}

function isLookedAt(policy: JsonObject): boolean {
  const { observedGeneration } = (policy["status"] ?? {}) as { readonly observedGeneration?: number };
  return observedGeneration === metaOf(policy).generation;
}
