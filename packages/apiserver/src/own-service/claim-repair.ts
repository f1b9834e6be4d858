// Brings the addresses and ports that services hold and those that are recorded together again, now and then.
// Source: facts, apiserver-hooks.md "Repair loops".
import type { ResourceStorage } from "@orch/registry";
import { errorFields, type Logger } from "../logging/logger";

const PASS_MS = 3 * 60_000;

export class ClaimRepair {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly storages: readonly ResourceStorage[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    void this.pass();
    this.timer = setInterval(() => void this.pass(), PASS_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async pass(): Promise<void> {
    for (const storage of this.storages) {
      try {
        const { released, recorded, shared } = await storage.repairClaims();
        const resource = storage.definition.plural;
        if (released.length > 0) this.logger.warn("released what no object holds", { resource, claims: released });
        if (recorded.length > 0) this.logger.warn("recorded what objects hold", { resource, claims: recorded });
        for (const [claim, holders] of shared) this.logger.error("held more than once", { resource, claim, holders });
      } catch (error) {
        this.logger.warn("the claims of objects could not be looked through", errorFields(error));
      }
    }
  }
}
