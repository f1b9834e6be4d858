import { useState } from "preact/hooks";
import { CommittedField } from "../../parts/committed-field";
import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { TimeText } from "../../parts/time-text";
import { usePolled } from "../../parts/use-polled";
import { json } from "../../requests/api";
import { names } from "../../session/settings";
import { bytesText } from "../../values/bytes";
import { type AuditTail, auditRow } from "../audit-events";

type Filters = Readonly<Record<string, string>>;

const PAUSE_MS = 3000;
/** Older events do not change. */
const OLDER_PAUSE_MS = 3_600_000;

/** The newest events of the audit log that the server keeps in a file, with filters. */
export function AuditSection() {
  const [filters, setFilters] = useState<Filters>({});
  const [older, setOlder] = useState<string>();
  const query = { ...filters, continue: older };
  const loaded = usePolled(
    (signal) => json<AuditTail>("/debug/audit", { query, signal }),
    [JSON.stringify(query)],
    () => (older === undefined ? PAUSE_MS : OLDER_PAUSE_MS),
  );
  const isKept = loaded.failure?.code !== 404;
  return (
    <Section title="Audit">
      {isKept ? (
        <>
          <p class="quiet">
            The log of the server that answers, the newest event first. Bodies are not shown, and files that were set
            aside by rotation are not read.
          </p>
          <FilterFields
            filters={filters}
            change={(name, value) => {
              setFilters((before) => ({ ...before, [name]: value }));
              setOlder(undefined);
            }}
          />
          <Part subject="The audit log" loaded={loaded}>
            {(tail) => <Events tail={tail} showOlder={setOlder} />}
          </Part>
          {older !== undefined && (
            <button type="button" onClick={() => setOlder(undefined)}>
              Newest events
            </button>
          )}
        </>
      ) : (
        <p class="quiet">{loaded.failure?.message}</p>
      )}
    </Section>
  );
}

/** Text fields of the filters: name, label and example. */
const FIELDS = [
  ["user", "User", "admin"],
  ["verb", "Verb", "delete"],
  ["resource", "Resource", "deployments.apps"],
  ["namespace", "Namespace", "default"],
  ["code", "Status code", "4xx"],
] as const;
const CHOICES = [
  ["decision", "Decision", ["allow", "forbid"]],
  ["stage", "Stage", ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"]],
] as const;

interface FilterProps {
  readonly filters: Filters;
  readonly change: (name: string, value: string) => void;
}

function FilterFields({ filters, change }: FilterProps) {
  return (
    <div class="filters">
      {FIELDS.map(([name, label, example]) => (
        <CommittedField
          key={name}
          label={label}
          value={filters[name] ?? ""}
          placeholder={example}
          choose={(text) => change(name, text)}
        />
      ))}
      {CHOICES.map(([name, label, values]) => (
        <label key={name}>
          {label}
          <select onChange={(event) => change(name, event.currentTarget.value)}>
            <option value="">any</option>
            {values.map((value) => (
              <option key={value}>{value}</option>
            ))}
          </select>
        </label>
      ))}
    </div>
  );
}

interface EventsProps {
  readonly tail: AuditTail;
  readonly showOlder: (token: string) => void;
}

function Events({ tail, showOlder }: EventsProps) {
  const { events, unreadable, readBytes, continue: next } = tail;
  const decisionKey = `${names().authorization}/decision`;
  const rows = events.map((event) => ({ event, ...auditRow(event, decisionKey) }));
  return (
    <>
      <DataTable
        label="Audit events"
        head={["Time", "User", "Verb", "Target", "Code", "Decision", "Stage", "Event"]}
        keys={rows.map(({ key }) => key)}
        rows={rows.map(({ event, time, user, verb, target, code, decision, stage }) => [
          <TimeText key="time" time={time} />,
          ...[user, verb, target, code, decision, stage],
          <WholeEvent key="event" event={event} />,
        ])}
        none={`No event matches in the last ${bytesText(readBytes)} of the log.`}
      />
      {unreadable > 0 && <p class="quiet">{unreadable} lines of the log are no events, or too long.</p>}
      {next !== undefined && (
        <button type="button" onClick={() => showOlder(next)}>
          Older events
        </button>
      )}
    </>
  );
}

/** The event as the log has it, which is formatted when it is opened. */
function WholeEvent({ event }: { readonly event: unknown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show</summary>
      {isOpen && <pre>{JSON.stringify(event, null, 2)}</pre>}
    </details>
  );
}
