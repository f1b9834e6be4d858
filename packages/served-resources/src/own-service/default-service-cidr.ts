// The default ServiceCIDR: every replica creates it from `--service-cluster-ip-range` and reports it ready. Source:
// pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go.
import { isReason, metaOf, timestamp } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, networkingV1 } from "@orch/schema";
import { MaintainedObject } from "../serving/maintained-object";
import { serverWrite } from "../serving/own-identity";
import { canonical, createUnlessPresent } from "../serving/own-objects";
import { type OwnEventsDeps, reportOwnEvent } from "./own-events";

export interface DefaultServiceCidrDeps extends OwnEventsDeps {
  readonly serviceCidrs: ResourceStorage;
  /** The ranges of the flag, the default family first. */
  readonly cidrs: readonly string[];
  readonly logger: Logger;
}

type Condition = NonNullable<networkingV1.ServiceCIDRStatus["conditions"]>[number];

const EVERY_MS = 10_000;
const ERROR = "KubernetesDefaultServiceCIDRError";
const SOURCE = "kubernetes-service-cidr-controller";

export class DefaultServiceCidr {
  private readonly kept: MaintainedObject;
  /** Findings that have been reported by this process. */
  private readonly reported = new Set<string>();

  constructor(private readonly deps: DefaultServiceCidrDeps) {
    this.kept = new MaintainedObject({
      storage: deps.serviceCidrs,
      key: this.key,
      logger: deps.logger,
      keep: () => this.keep(),
      failure: "cannot reconcile the default ServiceCIDR",
      everyMs: EVERY_MS,
    });
  }

  /** Resolves when the object exists. @throws StatusError when it cannot be stored */
  start(): Promise<void> {
    return this.kept.start();
  }

  stop(): void {
    this.kept.stop();
  }

  private get key() {
    return { namespace: "", name: this.deps.vocabulary.objectNames.product };
  }

  private async keep(): Promise<void> {
    const { serviceCidrs, vocabulary, cidrs } = this.deps;
    const found = serviceCidrs.peek(this.key)?.whole();
    if (found === undefined) {
      const { kind, apiVersion } = serviceCidrs.definition.storage;
      const object = { kind, apiVersion, metadata: { name: this.key.name }, spec: { cidrs: [...cidrs] } };
      const existing = await createUnlessPresent(serviceCidrs, canonical(serviceCidrs, object), vocabulary);
      await serviceCidrs.caughtUp?.();
      return this.report(existing?.whole() ?? serviceCidrs.peek(this.key)?.whole());
    }
    const present = cidrsOf(found);
    if (cidrs.length === 2 && present.length === 1 && present[0] === cidrs[0]) return this.addFamily(found);
    return this.report(found);
  }

  /** Adds the second family to a default ServiceCIDR of one family. */
  private async addFamily(found: JsonObject): Promise<void> {
    const { serviceCidrs, vocabulary, cidrs, logger } = this.deps;
    try {
      const spec = { ...(found["spec"] as JsonObject), cidrs: [...cidrs] };
      await serviceCidrs.update({ ...found, spec }, this.key, serverWrite(serviceCidrs, vocabulary));
    } catch (error) {
      logger.warn("cannot add the second IP family to the default ServiceCIDR", errorFields(error));
      const message = `The default ServiceCIDR can not be upgraded from ${cidrs[0]} to dual stack ${listText(cidrs)} : ${String(error)}`;
      await this.tell(found, ERROR, message);
    }
  }

  /** Sets the condition Ready where it is missing and the ranges are those of the flag. */
  private async report(found: JsonObject | undefined): Promise<void> {
    if (found === undefined || metaOf(found).deletionTimestamp !== undefined) return;
    const { cidrs, logger } = this.deps;
    const present = cidrsOf(found);
    if (present.join() !== cidrs.join()) {
      logger.warn("the default ServiceCIDR differs from --service-cluster-ip-range", { present, configured: cidrs });
      const message = `The default ServiceCIDR ${listText(present)} does not match the controller flag configurations ${listText(cidrs)}`;
      return this.tell(found, "KubernetesDefaultServiceCIDRInconsistent", message);
    }
    const ready = conditionsOf(found).find(({ type }) => type === "Ready");
    if (ready === undefined || ready.status === "Unknown") return this.setReady();
    if (ready.status === "False") {
      await this.tell(found, ready.reason ?? "", `Configuration matches, but ${ready.message ?? ""}`);
    }
  }

  private async setReady(): Promise<void> {
    const { serviceCidrs, vocabulary, now } = this.deps;
    const rules = serviceCidrs.definition.subresources["status"];
    if (rules === undefined) return;
    const ready = {
      type: "Ready",
      status: "True",
      lastTransitionTime: timestamp(now()),
      reason: "",
      message: "Kubernetes default Service CIDR is ready",
    };
    const change = (object: JsonObject): JsonObject => {
      const others = conditionsOf(object).filter(({ type }) => type !== "Ready");
      return { ...object, status: { conditions: [...others, ready] as unknown as JsonObject[] } };
    };
    const write = { ...serverWrite(serviceCidrs, vocabulary), subresource: { name: "status", rules } };
    try {
      await serviceCidrs.changeInPlace(change, this.key, write);
    } catch (error) {
      if (!isReason(error, "NotFound")) throw error;
    }
  }

  /** Writes an event once in the life of this process. */
  private async tell(object: JsonObject, reason: string, message: string): Promise<void> {
    if (this.reported.has(reason)) return;
    this.reported.add(reason);
    const { kind, apiVersion } = this.deps.serviceCidrs.definition.storage;
    await reportOwnEvent(this.deps, { ...object, kind, apiVersion }, { reason, message, source: SOURCE, mark: reason });
  }
}

const listText = (cidrs: readonly string[]): string => `[${cidrs.join(" ")}]`;

const cidrsOf = ({ spec }: JsonObject): readonly string[] =>
  (spec as networkingV1.ServiceCIDRSpec | undefined)?.cidrs ?? [];

const conditionsOf = ({ status }: JsonObject): readonly Condition[] =>
  (status as networkingV1.ServiceCIDRStatus | undefined)?.conditions ?? [];
