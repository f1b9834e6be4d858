import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import type { Loaded } from "../../parts/use-loaded";
import { usePolled } from "../../parts/use-polled";
import { objectAddress } from "../../routes/addresses";
import type { ApiObject } from "../../values/api-object";
import { type AdmissionObjects, admissionObjects } from "../admission-objects";
import { MUTATING_CHECKS, MUTATING_SECONDS, VALIDATING_CHECKS, VALIDATING_SECONDS } from "../metric-names";
import type { Metrics } from "../metrics-text";
import { numberText, secondsText } from "../texts";
import type { SeenMetrics } from "../use-metrics";

interface Policy extends ApiObject {
  readonly spec?: { readonly failurePolicy?: string };
}

interface Binding extends ApiObject {
  readonly spec?: { readonly policyName?: string };
}

interface Kind {
  readonly title: string;
  readonly policies: string;
  readonly bindings: string;
  readonly checks: string;
  readonly seconds: string;
}

const KINDS: readonly Kind[] = [
  {
    title: "validating",
    policies: "validatingadmissionpolicies",
    bindings: "validatingadmissionpolicybindings",
    ...{ checks: VALIDATING_CHECKS, seconds: VALIDATING_SECONDS },
  },
  {
    title: "mutating",
    policies: "mutatingadmissionpolicies",
    bindings: "mutatingadmissionpolicybindings",
    ...{ checks: MUTATING_CHECKS, seconds: MUTATING_SECONDS },
  },
];
const PAUSE_MS = 30_000;

interface Found {
  readonly kind: Kind;
  readonly policies: AdmissionObjects<Policy>;
  readonly bindings: AdmissionObjects<Binding>;
}

/** Admission policies with their bindings and cost. */
export function PolicySection({ metrics }: { readonly metrics: Loaded<SeenMetrics> }) {
  const loaded = usePolled(
    (signal) =>
      Promise.all(
        KINDS.map(
          async (kind): Promise<Found> => ({
            kind,
            policies: await admissionObjects<Policy>(kind.policies, signal),
            bindings: await admissionObjects<Binding>(kind.bindings, signal),
          }),
        ),
      ),
    [],
    () => PAUSE_MS,
  );
  return (
    <Section title="Admission policies">
      <Part subject="The admission policies" loaded={loaded}>
        {(found) => (
          <DataTable
            label="Admission policies"
            head={["Policy", "Kind", "Bindings", "On failure", "Checks", "Time"]}
            rows={found.flatMap((each) => rowsOf(each, metrics.value?.metrics))}
            none="There are no admission policies."
          />
        )}
      </Part>
      {metrics.failure !== undefined && <p class="quiet">Checks and times need the metrics.</p>}
    </Section>
  );
}

function rowsOf({ kind, policies, bindings }: Found, metrics: Metrics | undefined) {
  const { resource } = policies;
  if (resource === undefined) return [];
  const [checks, seconds] = [kind.checks, kind.seconds].map((name) => metrics?.sumsBy("policy", name));
  return policies.items.map(({ metadata, spec }) => [
    <a key="policy" href={objectAddress(resource, metadata)}>
      {metadata.name}
    </a>,
    kind.title,
    bindings.items.filter((each) => each.spec?.policyName === metadata.name).length,
    spec?.failurePolicy ?? "Fail",
    checks === undefined ? "unknown" : numberText(checks.get(metadata.name) ?? 0),
    seconds === undefined ? "unknown" : secondsText(seconds.get(metadata.name) ?? 0),
  ]);
}
