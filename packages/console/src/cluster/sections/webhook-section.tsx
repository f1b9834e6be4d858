import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { StateText } from "../../parts/state-text";
import type { Loaded } from "../../parts/use-loaded";
import { usePolled } from "../../parts/use-polled";
import { objectAddress } from "../../routes/addresses";
import type { ApiObject } from "../../values/api-object";
import { admissionObjects } from "../admission-objects";
import {
  WEBHOOK_CALLS,
  WEBHOOK_CIRCUIT,
  WEBHOOK_FAIL_OPEN,
  WEBHOOK_REJECTIONS,
  WEBHOOK_SECONDS,
  WEBHOOK_WITHHELD,
} from "../metric-names";
import type { Metrics } from "../metrics-text";
import { numberText, secondsText } from "../texts";
import type { SeenMetrics } from "../use-metrics";

interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly clientConfig?: {
    readonly url?: string;
    readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string };
  };
}

interface Configuration extends ApiObject {
  readonly webhooks?: readonly Webhook[];
}

/** Resources of webhooks, and the value of the label `type` in their metrics. */
const TYPES = [
  ["mutatingwebhookconfigurations", "admit"],
  ["validatingwebhookconfigurations", "validating"],
] as const;
const PAUSE_MS = 30_000;

/** Admission webhooks with their circuit and cost. */
export function WebhookSection({ metrics }: { readonly metrics: Loaded<SeenMetrics> }) {
  const loaded = usePolled(
    (signal) => Promise.all(TYPES.map(([name]) => admissionObjects<Configuration>(name, signal))),
    [],
    () => PAUSE_MS,
  );
  const seen = metrics.value?.metrics;
  return (
    <Section title="Admission webhooks">
      <Part subject="The webhook configurations" loaded={loaded}>
        {(lists) => (
          <DataTable
            label="Admission webhooks"
            head={[
              "Webhook",
              "Configuration",
              "Target",
              "On failure",
              "Circuit",
              "Calls",
              "Mean time",
              "Rejected",
              "Lost",
            ]}
            rows={lists.flatMap(({ resource, items }, at) =>
              items.flatMap((configuration) =>
                (configuration.webhooks ?? []).map((webhook) => [
                  webhook.name,
                  resource === undefined ? null : (
                    <a key="configuration" href={objectAddress(resource, configuration.metadata)}>
                      {configuration.metadata.name}
                    </a>
                  ),
                  targetOf(webhook),
                  webhook.failurePolicy ?? "Fail",
                  ...figuresOf(seen, webhook.name, TYPES[at]?.[1] ?? ""),
                ]),
              ),
            )}
            none="There are no admission webhooks."
          />
        )}
      </Part>
      {metrics.failure !== undefined && <p class="quiet">Circuit, calls and times need the metrics.</p>}
    </Section>
  );
}

function targetOf({ clientConfig }: Webhook): string {
  const { url, service } = clientConfig ?? {};
  return service === undefined ? (url ?? "") : `${service.namespace}/${service.name}${service.path ?? ""}`;
}

function figuresOf(metrics: Metrics | undefined, webhook: string, type: string) {
  if (metrics === undefined) return ["unknown", "", "", "", ""];
  const sum = (name: string) =>
    metrics
      .of(name)
      .filter(({ labels }) => labels["name"] === webhook && labels["type"] === type)
      .reduce((total, { value }) => total + value, 0);
  const [calls, isBroken] = [sum(WEBHOOK_CALLS), sum(WEBHOOK_CIRCUIT) > 0];
  return [
    <StateText key="circuit" isGood={!isBroken}>
      {isBroken ? "open: it fails" : "closed"}
    </StateText>,
    numberText(calls),
    calls === 0 ? "" : secondsText(sum(WEBHOOK_SECONDS) / calls),
    numberText(sum(WEBHOOK_REJECTIONS)),
    `${numberText(sum(WEBHOOK_FAIL_OPEN))} ignored, ${numberText(sum(WEBHOOK_WITHHELD))} not called`,
  ];
}
