import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { StateText } from "../../parts/state-text";
import type { Loaded } from "../../parts/use-loaded";
import { timeNow } from "../../values/clock";
import { certificateState, daysLeft, soonExpired } from "../certificates";
import { CERTIFICATE_END, CLIENT_CERTIFICATES } from "../metric-names";
import type { Metrics } from "../metrics-text";
import { numberText, timeOf } from "../texts";
import type { SeenMetrics } from "../use-metrics";

/** Certificates of the server's options, and how long those of clients are valid. */
export function CertificateSection({ metrics }: { readonly metrics: Loaded<SeenMetrics> }) {
  return (
    <Section title="Certificates">
      <Part subject="The metrics" loaded={metrics}>
        {({ metrics: seen }) => <Certificates metrics={seen} />}
      </Part>
    </Section>
  );
}

function Certificates({ metrics }: { readonly metrics: Metrics }) {
  const now = timeNow();
  const ends = [...metrics.of(CERTIFICATE_END)].sort((one, other) => one.value - other.value);
  const clients = soonExpired(metrics.of(CLIENT_CERTIFICATES));
  return (
    <>
      <DataTable
        label="Certificates"
        head={["Option", "Expires", "Days left", "State"]}
        rows={ends.map(({ labels, value }) => {
          const days = daysLeft(value, now);
          const state = certificateState(days);
          return [
            `--${labels["option"] ?? ""}`,
            (timeOf(value) ?? "").slice(0, 10),
            numberText(days),
            <StateText key="state" isGood={state === "ok"}>
              {state}
            </StateText>,
          ];
        })}
        none="The metrics tell of no certificates."
      />
      {clients !== undefined && clients.uses > 0 && (
        <p>
          Clients have presented certificates {numberText(clients.uses)} times;{" "}
          <StateText
            isGood={clients.soon === 0}
          >{`${numberText(clients.soon)} of them with less than 7 days left`}</StateText>
          .
        </p>
      )}
    </>
  );
}
