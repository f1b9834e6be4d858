import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { TimeText } from "../../parts/time-text";
import { usePolled } from "../../parts/use-polled";
import { json } from "../../requests/api";
import { numberText } from "../texts";

/** Answer of `/debug/deprecations`. */
interface Report {
  readonly release: string;
  readonly nextRelease: string;
  readonly requests: readonly DeprecatedUse[];
  readonly managedFields: readonly RemovedOwners[];
}

interface DeprecatedUse {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removedRelease: string;
  readonly replacement: string;
  readonly clients: readonly {
    readonly userAgent: string;
    readonly user: string;
    readonly requests: number;
    readonly lastRequest: string;
  }[];
}

interface RemovedOwners {
  readonly resource: string;
  readonly apiVersion: string;
  readonly replacement: string;
  readonly objects: number;
  readonly managers: readonly { readonly manager: string; readonly objects: number }[];
}

const PAUSE_MS = 60_000;

/** Clients and stored field managers of versions that a later release removes. */
export function DeprecationSection() {
  const loaded = usePolled(
    (signal) => json<Report>("/debug/deprecations", { signal }),
    [],
    () => PAUSE_MS,
  );
  return (
    <Section title="Deprecated versions">
      <Part subject="The uses of deprecated versions" loaded={loaded}>
        {({ release, nextRelease, requests, managedFields }) => (
          <>
            <p class="quiet">
              Release {release}; the next one is {nextRelease}. Requests are those since the start of the server.
            </p>
            <DataTable
              label="Deprecated clients"
              head={["Resource", "Version", "Removed in", "Replacement", "User", "Program", "Requests", "Last"]}
              rows={requests.flatMap((use) =>
                use.clients.map(({ user, userAgent, requests: count, lastRequest }) => [
                  use.subresource === "" ? use.resource : `${use.resource}/${use.subresource}`,
                  use.group === "" ? use.version : `${use.group}/${use.version}`,
                  ...[use.removedRelease || "not known", use.replacement, user, userAgent, numberText(count)],
                  <TimeText key="last" time={lastRequest} />,
                ]),
              )}
              none="No client has requested a deprecated version."
            />
            <h3>Field managers</h3>
            <DataTable
              label="Field managers of removed versions"
              head={["Resource", "Version", "Replacement", "Objects", "Managers"]}
              rows={managedFields.map(({ resource, apiVersion, replacement, objects, managers }) => [
                ...[resource, apiVersion, replacement, numberText(objects)],
                managers.map(({ manager, objects: count }) => `${manager} (${count})`).join(", "),
              ])}
              none="No stored object has field managers of a version that the next release removes."
            />
          </>
        )}
      </Part>
    </Section>
  );
}
