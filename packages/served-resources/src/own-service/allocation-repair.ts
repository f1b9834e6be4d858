// Reconciles the addresses and ports of services with the recorded allocations, at an interval. Source:
// pkg/registry/core/service/ipallocator/controller/repair.go.

import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import { reportFindings, type ServiceFindingsDeps } from "./service-findings";

const PASS_MS = 3 * 60_000;

export class AllocationRepair {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly deps: ServiceFindingsDeps,
    private readonly logger: Logger,
    /** Called after each completed pass. */
    private readonly passed: () => void,
  ) {}

  /** Resolves after the first pass. Never rejects. */
  start(): Promise<void> {
    this.timer = setInterval(() => void this.pass(), PASS_MS).unref();
    return this.pass();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async pass(): Promise<void> {
    const { services } = this.deps;
    try {
      const repairs = await services.repairAllocations();
      const { released, recorded, shared, withdrawn } = repairs;
      const resource = services.definition.plural;
      if (released.length > 0)
        this.logger.warn("released allocations that no object uses", { resource, claims: released });
      if (recorded.size > 0)
        this.logger.warn("recorded allocations that objects use", { resource, claims: [...recorded.keys()] });
      for (const [allocation, holders] of shared)
        this.logger.error("an allocation is used by several objects", { resource, claim: allocation, holders });
      if (withdrawn.size > 0)
        this.logger.warn("allocations outside of the configured ranges are in use", {
          resource,
          count: withdrawn.size,
        });
      this.passed();
      await reportFindings(this.deps, repairs);
    } catch (error) {
      this.logger.warn("cannot check the allocations of services", errorFields(error));
    }
  }
}
