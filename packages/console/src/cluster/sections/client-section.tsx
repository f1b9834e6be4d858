import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { usePolled } from "../../parts/use-polled";
import { json } from "../../requests/api";
import { numberText, secondsText } from "../texts";

/** Answer of `/debug/clients`, with the most active client first. */
interface Report {
  readonly clients: readonly {
    readonly user: string;
    readonly userAgent: string;
    readonly requests: number;
    readonly seconds: number;
    readonly cpuSeconds?: number;
    readonly streams: number;
  }[];
}

const PAUSE_MS = 10_000;

/** Clients since the start of the server that answers. */
export function ClientSection() {
  const loaded = usePolled(
    (signal) => json<Report>("/debug/clients", { signal }),
    [],
    () => PAUSE_MS,
  );
  return (
    <Section title="Clients">
      <Part subject="The clients" loaded={loaded}>
        {({ clients }) => (
          <DataTable
            label="Clients"
            head={["User", "Program", "Requests", "Time", "CPU", "Streams"]}
            rows={clients.map(({ user, userAgent, requests, seconds, cpuSeconds, streams }) => [
              ...[user, userAgent, numberText(requests), secondsText(seconds)],
              cpuSeconds === undefined ? "" : secondsText(cpuSeconds),
              streams,
            ])}
            none="No client has sent a request."
          />
        )}
      </Part>
    </Section>
  );
}
