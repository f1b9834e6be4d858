import { DataTable } from "../../parts/data-table";
import { Part, Section } from "../../parts/section";
import { StateText } from "../../parts/state-text";
import { type Loaded, useLoaded } from "../../parts/use-loaded";
import { usePolled } from "../../parts/use-polled";
import { request } from "../../requests/api";
import { failureOf } from "../../requests/failure";
import { type Health, type HealthCheck, healthIn } from "../health-checks";

const ENDPOINTS = ["/readyz", "/livez"] as const;
const PAUSE_MS = 10_000;
const FAILED_STATUS = 500;

/** Checks of readiness and of liveness, side by side. */
export function HealthSection() {
  const loaded = usePolled(
    (signal) => Promise.all(ENDPOINTS.map((endpoint) => healthAt(endpoint, signal))),
    [],
    () => PAUSE_MS,
  );
  return (
    <Section title="Health checks">
      <Part subject="The health checks" loaded={loaded}>
        {(healths) => <Checks healths={healths} />}
      </Part>
    </Section>
  );
}

function Checks({ healths }: { readonly healths: readonly Health[] }) {
  const all = healths.flatMap(({ checks }) => checks);
  const failed = all.filter(({ isOk }) => !isOk).length;
  const names = [...new Set(all.map(({ name }) => name))];
  const rows = names.map((name) => [
    name,
    ...healths.map(({ checks }, at) => (
      <CheckText key={at} endpoint={ENDPOINTS[at] ?? ""} check={checks.find((each) => each.name === name)} />
    )),
  ]);
  const warnings = [...new Set(healths.flatMap((each) => each.warnings))];
  return (
    <>
      <p>
        <StateText isGood={failed === 0}>
          {failed === 0 ? `All ${names.length} checks pass.` : `${failed} of ${all.length} checks fail.`}
        </StateText>
      </p>
      {warnings.map((text) => (
        <p key={text} class="warning">
          {text}
        </p>
      ))}
      <DataTable
        label="Health checks"
        head={["Check", "Ready", "Live"]}
        rows={rows}
        none="The server tells of no checks."
      />
    </>
  );
}

function CheckText({ endpoint, check }: { readonly endpoint: string; readonly check: HealthCheck | undefined }) {
  if (check === undefined) return <span class="quiet">not part of it</span>;
  if (check.isOk) return <StateText isGood>{check.text || "ok"}</StateText>;
  return <FailedCheck endpoint={endpoint} check={check} />;
}

/** The list of checks withholds reasons; a check alone tells its own to users that are known. */
function FailedCheck({ endpoint, check }: { readonly endpoint: string; readonly check: HealthCheck }) {
  const path = `${endpoint}/${check.name.split("/").map(encodeURIComponent).join("/")}`;
  const reason: Loaded<string> = useLoaded(
    async (signal) => (await textAt(path, signal)).trim().replace(/^internal server error: /, ""),
    [path],
  );
  return <StateText isGood={false}>{reason.value === undefined ? check.text : `failed: ${reason.value}`}</StateText>;
}

async function healthAt(endpoint: string, signal: AbortSignal): Promise<Health> {
  const health = healthIn(await textAt(`${endpoint}?verbose`, signal));
  if (health.checks.length === 0) throw failureOf(FAILED_STATUS, undefined);
  return health;
}

async function textAt(path: string, signal: AbortSignal): Promise<string> {
  const answer = await request(path, { accept: "text/plain", signal, accepted: [FAILED_STATUS] });
  return answer.text();
}
