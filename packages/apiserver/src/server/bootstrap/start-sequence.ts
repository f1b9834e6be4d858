// The steps between an open port and a ready server. The store may be away for any time: each step is retried until it
// succeeds, and the health checks show the progress.

import type { Logger, StartHooks } from "@orch/observability";
import { errorFields, pause, systemClock } from "@orch/platform";
import type { Registry } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import {
  makeBootstrapPolicy,
  makePriorityClasses,
  makeSystemNamespaces,
  type ResourceStorages,
} from "@orch/served-resources";
import type { Store } from "@orch/store";
import type { Aggregation } from "../aggregation";
import type { AuthenticationInfo } from "../authentication-info";
import type { FlowControl } from "../flow-control";
import type { LegacyTokens } from "../legacy-tokens/legacy-tokens";
import { recordVocabulary, WrongVocabularyError } from "./vocabulary-record";

export interface StartDeps {
  readonly stores: readonly Store[];
  readonly vocabulary: Vocabulary;
  /** Release whose bootstrap roles are created. */
  readonly release: string;
  /** Feature gates that the roles depend on. */
  readonly gates: Readonly<Record<string, boolean>>;
  readonly prefix: string;
  readonly registry: Registry;
  readonly storages: ResourceStorages;
  /** Components that follow the objects of authorization. */
  readonly decidedBy: readonly { start(): Promise<void>; caughtUp?(): Promise<void> }[];
  /** Undefined when priority and fairness is off. */
  readonly flowControl: Pick<FlowControl, "start" | "keep"> | undefined;
  /** Data that admission plugins read. */
  readonly admission: { start(): Promise<void> };
  /** Resolves when all custom resource definitions are served. */
  readonly customResources: { start(): Promise<void> };
  readonly aggregation: Pick<Aggregation, "start" | "register">;
  readonly authenticationInfo: Pick<AuthenticationInfo, "start">;
  readonly legacyTokens: Pick<LegacyTokens, "start">;
  readonly hooks: StartHooks;
  readonly logger: Logger;
}

const RETRY_MS = 1000;

export class StartSequence {
  /** Whether requests for objects may be served: the store belongs to this vocabulary and roles can be read. */
  servesObjects = false;
  private stopped = false;
  private repeating = false;

  constructor(private readonly deps: StartDeps) {}

  /** @throws WrongVocabularyError */
  async run(): Promise<void> {
    const { deps } = this;
    await this.claimStore();
    await this.untilDone("cache", () => deps.registry.ready());
    deps.hooks.cache.done();
    await this.untilDone("roles", () => Promise.all(deps.decidedBy.map((each) => each.start())));
    await this.untilDone("flow control", async () => deps.flowControl?.start());
    deps.hooks.flowControl.done();
    await this.untilDone("objects that admission reads", () => deps.admission.start());
    deps.hooks.admission.done();
    await this.untilDone("definitions", () => deps.customResources.start());
    deps.hooks.definitions.done();
    await this.untilDone("registrations", () => deps.aggregation.start());
    deps.hooks.registrations.done();
    deps.hooks.availability.done();
    this.servesObjects = true;
    await this.makeObjects();
  }

  /** Repeats the steps after the store was restored to an earlier state, which may be from before the start. */
  async again(): Promise<void> {
    if (this.repeating || this.stopped) return;
    this.repeating = true;
    try {
      await this.claimStore();
      await this.makeObjects();
    } catch (error) {
      if (this.stopped) return;
      this.servesObjects = false;
      this.deps.logger.error("the restored store cannot be served", errorFields(error));
    } finally {
      this.repeating = false;
    }
  }

  private claimStore(): Promise<void> {
    const { stores, prefix, vocabulary } = this.deps;
    return this.untilDone("vocabulary", async () => {
      await Promise.all(stores.map((store) => recordVocabulary(store, prefix, vocabulary.name)));
    });
  }

  private async makeObjects(): Promise<void> {
    const { hooks, storages, vocabulary, aggregation, authenticationInfo, flowControl, legacyTokens } = this.deps;
    await this.untilDone("namespaces", () => makeSystemNamespaces(storages.namespaces, vocabulary));
    hooks.namespaces.done();
    // These objects are independent: written together they are on the disk sooner than one by one.
    await Promise.all([
      this.makeRoles(),
      this.untilDone("priority classes", () => makePriorityClasses(storages.priorityClasses, vocabulary)).then(() =>
        hooks.priorityClasses.done(),
      ),
      this.untilDone("authentication configuration for aggregated API servers", () => authenticationInfo.start()).then(
        () => hooks.authenticationInfo.done(),
      ),
      this.untilDone("start date of token tracking", () => legacyTokens.start()).then(() => hooks.legacyTokens.done()),
      this.untilDone("registrations of the served API versions", () => aggregation.register()).then(() =>
        hooks.autoregistration.done(),
      ),
    ]);
    // Last, because their statuses are written as soon as they exist and need not be waited for.
    await this.untilDone("flow schemas", async () => flowControl?.keep());
    hooks.flowControlObjects.done();
  }

  private async makeRoles(): Promise<void> {
    const { hooks, storages, vocabulary, release, gates } = this.deps;
    await this.untilDone("bootstrap roles", () => makeBootstrapPolicy(storages.rbac, vocabulary, release, gates));
    // Users with bootstrap roles are authorized once the server is ready.
    await this.untilDone("RBAC objects", () => Promise.all(this.deps.decidedBy.map((each) => each.caughtUp?.())));
    hooks.roles.done();
  }

  /** Creates missing objects. Failures are retried at the next interval. */
  keepObjects(): void {
    const { storages, vocabulary, logger, flowControl } = this.deps;
    flowControl
      ?.keep()
      .catch((error: unknown) => logger.warn("cannot reconcile a flow schema or priority level", errorFields(error)));
    makeSystemNamespaces(storages.namespaces, vocabulary).catch((error: unknown) =>
      logger.warn("cannot create a namespace", errorFields(error)),
    );
  }

  stop(): void {
    this.stopped = true;
  }

  private async untilDone(step: string, work: () => Promise<unknown>): Promise<void> {
    while (!this.stopped) {
      try {
        await work();
        return;
      } catch (error) {
        if (error instanceof WrongVocabularyError) throw error;
        this.deps.logger.warn("a step of the start failed; retrying", { step, ...errorFields(error) });
        await pause(systemClock, RETRY_MS);
      }
    }
    throw new Error("the server was stopped during its start");
  }
}
