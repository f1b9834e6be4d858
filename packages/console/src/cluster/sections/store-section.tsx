import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { StateText } from "../../parts/state-text";
import { TimeText } from "../../parts/time-text";
import type { Loaded } from "../../parts/use-loaded";
import { bytesText } from "../../values/bytes";
import {
  BACKUP_FAILED,
  BACKUP_TIME,
  COMPACTION_FAILURES,
  COMPACTION_TIME,
  KEY_TIME,
  KEY_USES,
  STORE_ALARM,
  STORE_AVAILABLE,
  STORE_OBJECTS,
  STORE_SIZE,
  STORE_UNREADABLE,
  TRANSFORMATIONS,
} from "../metric-names";
import type { Metrics } from "../metrics-text";
import { StoredSizes } from "../stored-sizes";
import { numberText, timeOf } from "../texts";
import type { SeenMetrics } from "../use-metrics";

/** Size, condition and content of the store. */
export function StoreSection({ metrics }: { readonly metrics: Loaded<SeenMetrics> }) {
  return (
    <Section title="Store">
      <Part subject="The metrics" loaded={metrics}>
        {({ metrics: seen }) => (
          <>
            <Condition metrics={seen} />
            <h3>Encryption</h3>
            <Encryption metrics={seen} />
            <h3>Objects</h3>
            <Objects metrics={seen} />
          </>
        )}
      </Part>
      <h3>Sizes</h3>
      <StoredSizes />
    </Section>
  );
}

function Condition({ metrics }: { readonly metrics: Metrics }) {
  const sizes = metrics.firstOf(...STORE_SIZE).map(({ labels, value }) => {
    const place = labels["storage_cluster_id"] ?? labels["endpoint"] ?? labels["cluster"];
    return `${place === undefined ? "" : `${place}: `}${bytesText(value)}`;
  });
  const available = metrics.total(STORE_AVAILABLE);
  const alarms = metrics.of(STORE_ALARM).filter(({ value }) => value > 0);
  const compacted = timeOf(metrics.total(COMPACTION_TIME));
  const failures = metrics.total(COMPACTION_FAILURES) ?? 0;
  const unreadable = metrics.total(STORE_UNREADABLE) ?? 0;
  const backup = timeOf(metrics.total(BACKUP_TIME));
  const hasBackupFailed = metrics.total(BACKUP_FAILED);
  return (
    <dl class="facts">
      <dt>Size</dt>
      <dd>{sizes.join(", ") || "unknown"}</dd>
      {available !== undefined && (
        <>
          <dt>Available</dt>
          <dd>{bytesText(available)}</dd>
        </>
      )}
      <dt>Alarms</dt>
      <dd>
        <StateText isGood={alarms.length === 0}>
          {alarms.map(({ labels }) => labels["alarm"]).join(", ") || "none"}
        </StateText>
      </dd>
      <dt>Unreadable objects</dt>
      <dd>
        <StateText isGood={unreadable === 0}>{numberText(unreadable)}</StateText>
      </dd>
      <dt>Compaction</dt>
      <dd>
        {compacted === undefined ? "none yet" : <TimeText time={compacted} />}
        {failures > 0 && <span class="bad">, {numberText(failures)} rounds failed</span>}
      </dd>
      {hasBackupFailed !== undefined && (
        <>
          <dt>Backup</dt>
          <dd>
            {backup === undefined ? "none yet" : <TimeText time={backup} />}
            {hasBackupFailed > 0 && <span class="bad">, the last attempt failed</span>}
          </dd>
        </>
      )}
    </dl>
  );
}

/** Keys of key management services by their hash; the other providers by the prefix of what they write. */
function Encryption({ metrics }: { readonly metrics: Metrics }) {
  const times = metrics.of(KEY_TIME);
  const keys = metrics.of(KEY_USES).map(({ labels, value }) => {
    const same = times.find(
      (each) =>
        each.labels["key_id_hash"] === labels["key_id_hash"] &&
        each.labels["provider_name"] === labels["provider_name"] &&
        each.labels["transformation_type"] === labels["transformation_type"],
    );
    return [
      ...[labels["provider_name"], labels["transformation_type"], labels["key_id_hash"], numberText(value)],
      <TimeText key="last" time={timeOf(same?.value)} />,
    ];
  });
  const others = [...metrics.sumsBy("transformer_prefix", TRANSFORMATIONS)].map(([prefix, count]) => [
    ...[prefix || "not encrypted", "all", "", numberText(count), ""],
  ]);
  return (
    <DataTable
      label="Encryption"
      head={["Provider", "Operation", "Key", "Values", "Last use"]}
      rows={[...keys, ...others]}
      none="The metrics tell of no encryption."
    />
  );
}

function Objects({ metrics }: { readonly metrics: Metrics }) {
  const counts = metrics
    .firstOf(...STORE_OBJECTS)
    .map(({ labels: { resource = "", group = "" }, value }) => ({
      resource: group === "" ? resource : `${resource}.${group}`,
      value,
    }))
    .filter(({ value }) => value > 0)
    .sort((one, other) => other.value - one.value);
  return (
    <DataTable
      label="Objects by kind"
      head={["Kind", "Objects"]}
      rows={counts.map(({ resource, value }) => [resource, numberText(value)])}
      none="The metrics tell of no objects yet."
    />
  );
}
