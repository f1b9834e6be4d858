// Rewrites the pack according to the modules that a server and its controllers run at start and while serving. Starts a
// server in a temporary folder and sends typical requests. The step `choose` joins the modules that have run; the step
// `compile` adds the code that V8 has compiled.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { freePort } from "../free-port.mjs";
import { packed } from "./loader.mjs";
import { lateFolder, programModules, writePack, writeScripts } from "./pack-file.mjs";

const ROUNDS = 20;
const [, , step] = process.argv;

const folder = mkdtempSync(join(tmpdir(), "orch-pack-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// Keeps the bytecode of functions that have run once.
setFlagsFromString("--no-flush-bytecode");
const port = await freePort();
process.argv.splice(
  1,
  process.argv.length,
  "orch-standalone",
  ...[`--data-dir=${folder}`, `--secure-port=${port}`, "--bind-address=127.0.0.1", "--authorization-mode=Node,RBAC"],
);
packed(join(packed.PACKAGES, "standalone/dist/program/main.js"));
await serve(join(folder, "admin.kubeconfig"));
const { RELEASE_RANGE } = packed(join(packed.PACKAGES, "apis/dist/index.js"));
const { startServer } = packed(join(packed.PACKAGES, "apiserver/dist/index.js"));
// The bootstrap objects of the default releases and of the newest one are prepared for the pack.
for (const vocabulary of ["orch", "kubernetes"])
  for (const flags of [{}, { "emulated-release": RELEASE_RANGE.last }]) await startServer({ vocabulary, flags });
const { preparedSeeds } = packed(join(packed.PACKAGES, "registry/dist/index.js"));
// V8 rejects cached code when its flags differ. Restores the flags of a starting process.
setFlagsFromString("--flush-bytecode");
setFlagsFromString("--allocation-site-pretenuring");
const pack = packed.modules();
pack.paths.forEach((path, place) => {
  if (lateFolder(join(packed.ROOT, path)) !== undefined) pack.loadPlace(place);
});
if (step === "choose") {
  const ran = pack.paths.filter((_path, place) => pack.loaded[place] !== undefined);
  writePack(programModules(), new Set(ran.map((path) => join(packed.ROOT, path))), preparedSeeds());
} else {
  const codeOf = (number) => pack.opened.get(number)?.createCachedData();
  writeScripts(
    pack.paths,
    pack.scripts.map((script, number) => ({ ...script, source: pack.source(number), code: codeOf(number) })),
    preparedSeeds(),
  );
}
process.exit(0);

async function serve(kubeconfig) {
  while (!existsSync(kubeconfig)) await pause(20);
  const pki = (name) => readFileSync(join(folder, "pki", name));
  const tls = { ca: pki("ca.crt"), cert: pki("admin.crt"), key: pki("admin.key") };
  const ask = (method, path, body, type = "application/json") =>
    new Promise((resolve, reject) => {
      const asked = request(
        `https://127.0.0.1:${port}${path}`,
        { ...tls, method, headers: { "content-type": type } },
        (answer) => answer.resume().once("end", () => resolve(answer.statusCode)),
      );
      asked.once("error", reject).end(body && JSON.stringify(body));
    });
  const maps = "/api/v1/namespaces/default/configmaps";
  const map = (name) => ({ kind: "ConfigMap", apiVersion: "v1", metadata: { name }, data: { round: name } });
  // This watch stays open until the process exits.
  ask("GET", `${maps}?watch=1`).catch(() => {});
  for (let round = 0; round < ROUNDS; round += 1) {
    const one = `${maps}/round-${round}`;
    await ask("POST", maps, map(`round-${round}`));
    await ask("GET", one);
    await ask("PUT", one, map(`round-${round}`));
    await ask("PATCH", one, { data: { more: "1" } }, "application/merge-patch+json");
    await ask("PATCH", `${one}?fieldManager=build`, map(`round-${round}`), "application/apply-patch+yaml");
    await ask("GET", `${maps}?limit=2`);
    await ask("DELETE", one);
  }
  for (const path of ["/readyz", "/version", "/api", "/apis", "/metrics"]) await ask("GET", path);
}
