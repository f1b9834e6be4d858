// The cost of the custom resource definitions of many operators: processor time of their creation, time until all are
// established, and resident memory per definition after that and after the OpenAPI documents.
import { setTimeout as sleep } from "node:timers/promises";
import { DEFINITIONS } from "./objects.mjs";
import { cpuMeter, peakMebibytes, residentMebibytes } from "./process-figures.mjs";
import { realDefinition } from "./real-definitions.mjs";

/** Connections that create definitions, as `kubectl apply` and package managers do. */
const CREATING = 4;
/** Time after which a quiet server has made the documents of built-in resources and has collected garbage. */
const BEGUN_MS = 45_000;
const SOON_MS = 8_000;
/** Time after which a quiet server has ended its worker threads and has collected garbage. */
const QUIET_MS = 45_000;
const PATIENCE_MS = 300_000;

export const realDefinitionsScenario = (count) => ({
  fresh: true,
  onDemand: true,
  async run(bench) {
    const { server } = bench;
    const texts = Array.from({ length: count }, (_, index) => JSON.stringify(realDefinition(index)));
    await sleep(BEGUN_MS);
    const emptyMebibytes = residentMebibytes(server.pid);
    const notes = [`${count} definitions, ${(texts.join("").length / 1e6).toFixed(1)} MB of JSON`];
    const each = (what) => {
      const mebibytes = residentMebibytes(server.pid);
      const one = (mebibytes - emptyMebibytes) / count;
      notes.push(`${what}: ${mebibytes.toFixed(0)} MiB, ${one.toFixed(2)} MiB a definition`);
      return mebibytes;
    };

    const cpu = cpuMeter(server.pid);
    const startedAt = performance.now();
    await createAll(bench, texts);
    const createdMs = performance.now() - startedAt;
    const seconds = cpu() / 1e6;
    await allEstablished(bench, count);
    const milliseconds = performance.now() - startedAt;
    notes.push(
      `${seconds.toFixed(1)} s of processor time to create them in ${(createdMs / 1000).toFixed(1)} s`,
      `all established ${(milliseconds - createdMs).toFixed(0)} ms after the last was created`,
    );
    await sleep(SOON_MS);
    const mebibytes = each(`${SOON_MS / 1000} s after they were established`);
    await sleep(QUIET_MS);
    each(`${QUIET_MS / 1000} s later`);

    const documents = cpuMeter(server.pid);
    const { body } = await bench.fetch("/openapi/v2");
    notes.push(
      `OpenAPI v2: ${(body.length / 1e6).toFixed(1)} MB, ${(documents() / 1e6).toFixed(2)} s of processor time`,
    );
    await sleep(SOON_MS);
    each(`${SOON_MS / 1000} s after OpenAPI v2`);
    const { paths } = JSON.parse((await bench.fetch("/openapi/v3")).body);
    for (const { serverRelativeURL } of Object.values(paths)) await bench.fetch(serverRelativeURL);
    await sleep(SOON_MS);
    each(`${SOON_MS / 1000} s after ${Object.keys(paths).length} documents of OpenAPI v3`);
    await sleep(QUIET_MS);
    each(`${QUIET_MS / 1000} s later`);
    notes.push(`${peakMebibytes(server.pid).toFixed(0)} MiB at most`);
    return { ours: { mebibytes, milliseconds }, notes };
  },
});

async function createAll(bench, texts) {
  const left = texts.values();
  const create = async () => {
    for (const body of left) {
      const answer = await bench.fetch(DEFINITIONS, { method: "POST", body });
      if (answer.status === 201) continue;
      throw new Error(`a definition answered ${answer.status}: ${answer.body.toString("utf8", 0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: CREATING }, create));
}

/** Waits until the list of definitions shows the condition Established of each. */
async function allEstablished(bench, count) {
  const endsAt = performance.now() + PATIENCE_MS;
  const isEstablished = ({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True") === true;
  for (;;) {
    const { body } = await bench.fetch(DEFINITIONS);
    if (JSON.parse(body).items.filter(isEstablished).length >= count) return;
    if (performance.now() > endsAt) throw new Error(`the definitions were not established in ${PATIENCE_MS} ms`);
    await sleep(200);
  }
}
