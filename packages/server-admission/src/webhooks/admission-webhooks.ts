// Parts with which this process calls admission webhooks: clients, circuits, and the reporting of their state.
import type { ObjectLister, WebhookCaller, WebhookTarget, WebhookType } from "@orch/admission";
import { type DialGuard, guardedResolver, networkOf, type ServiceResolver, WebhookClients } from "@orch/extensions";
import type { Logger, ServerMetrics } from "@orch/observability";
import { type EgressSelector, errorFields, systemClock } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type CircuitEventDeps, reportCircuit } from "./circuit-events";
import { OpenWebhookCaller } from "./open-webhook-caller";
import {
  type IsAggregated,
  isOwnService,
  type OwnAddress,
  ownServiceRefusal,
  ownServiceTarget,
  withOwnService,
} from "./own-service-address";
import { podIdentity } from "./pod-identity";
import { type KnownCircuit, WebhookCircuits } from "./webhook-circuits";
import { openCredentials } from "./webhook-credentials";

export interface AdmissionWebhooksParts {
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly own: OwnAddress;
  /** A function, because the value depends on the served resources. */
  readonly resolve: ServiceResolver;
  readonly guard: DialGuard;
  readonly egress: EgressSelector;
  readonly isAggregated: IsAggregated;
  readonly lister: (resource: string) => ObjectLister;
  readonly storage: CircuitEventDeps["storage"];
}

const SWEEP_MS = 5_000;
const KINDS: readonly WebhookTarget["kind"][] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

export class AdmissionWebhooks {
  readonly caller: WebhookCaller;
  private readonly clients: WebhookClients;
  private readonly circuits: WebhookCircuits;
  private readonly sweeper: NodeJS.Timeout;

  constructor(private readonly parts: AdmissionWebhooksParts) {
    const { vocabulary, metrics, own, guard } = parts;
    const broken = metrics.gauge("apiserver_admission_webhook_circuit_broken");
    const withheld = metrics.counter("apiserver_admission_webhook_withheld_total");
    this.clients = new WebhookClients({
      // A webhook behind the service of the API itself is reached directly: aggregated APIs may implement webhooks.
      resolve: withOwnService(guardedResolver(parts.resolve, guard), vocabulary, own),
      guard,
      serviceRefusal: (place) => ownServiceRefusal(place, vocabulary, parts.isAggregated),
      dialerOf: (place) =>
        isOwnService(place.service, vocabulary) ? undefined : parts.egress.dialer(networkOf(place)),
      userAgent: vocabulary.userAgents.apiserverAdmission,
    });
    this.circuits = new WebhookCircuits({
      broke: (known) => {
        broken.set(labelsOf(known.target), 1);
        this.tell("WebhookFailing", known);
      },
      mended: (known) => {
        broken.remove(labelsOf(known.target));
        this.tell("WebhookAnswering", known);
      },
      forgotten: ({ target }) => broken.remove(labelsOf(target)),
    });
    const pod = { target: ownServiceTarget(vocabulary), identity: () => podIdentity(vocabulary) };
    this.caller = new OpenWebhookCaller({
      clients: this.clients,
      circuits: this.circuits,
      clock: systemClock,
      open: (file) => openCredentials(file, pod),
      withheld: (target, reason) => withheld.inc({ ...labelsOf(target), reason }),
    });
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  /**
   * Notes for the readiness check; they do not change its result.
   * @param isKnown whether the client is authenticated; other clients see no names
   */
  notes(isKnown: boolean): readonly string[] {
    this.sweep();
    const broken = this.circuits.broken();
    if (broken.length === 0) return [];
    if (!isKnown) return [`failing admission webhooks: ${broken.length}`];
    return broken.slice(0, NOTES_MAX).map(noteOf);
  }

  close(): void {
    clearInterval(this.sweeper);
    this.clients.close();
  }

  private tell(news: "WebhookFailing" | "WebhookAnswering", known: KnownCircuit): void {
    const { logger, vocabulary, storage } = this.parts;
    const { kind, configuration, name, failurePolicy } = known.target;
    const of = { kind, configuration, webhook: name, failurePolicy };
    if (news === "WebhookAnswering") logger.info("an admission webhook recovered", of);
    else logger.warn("an admission webhook keeps failing", { ...of, error: known.circuit.lastFailure });
    reportCircuit({ storage, vocabulary, now: Date.now }, news, known).catch((error: unknown) =>
      logger.warn("the event about an admission webhook could not be written", { ...of, ...errorFields(error) }),
    );
  }

  private sweep(): void {
    if (this.circuits.size === 0) return;
    const current = new Map(KINDS.map((kind) => [kind, this.configurations(kind)]));
    this.circuits.sweep((kind) => current.get(kind));
  }

  private configurations(kind: WebhookTarget["kind"]): readonly JsonObject[] | undefined {
    const all = this.parts.lister(`${kind.toLowerCase()}s`).all();
    if (!(all instanceof Promise)) return all;
    all.catch(() => {});
    return undefined;
  }
}

const NOTES_MAX = 50;

function noteOf({ target, circuit }: KnownCircuit): string {
  const { kind, configuration, name, failurePolicy } = target;
  const meaning = failurePolicy === "Ignore" ? "is skipped" : "rejects requests";
  return `admission webhook ${JSON.stringify(name)} of ${kind} ${JSON.stringify(configuration)} ${meaning}: ${circuit.standing()}`;
}

/** Webhook types as metrics name them. */
const TYPES: Readonly<Record<WebhookTarget["kind"], WebhookType>> = {
  MutatingWebhookConfiguration: "admit",
  ValidatingWebhookConfiguration: "validating",
};

const labelsOf = ({ kind, name }: WebhookTarget) => ({ name, type: TYPES[kind] });
