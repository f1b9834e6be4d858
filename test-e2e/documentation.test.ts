// The code blocks of docs/ work as written. docs/README.md describes how they are run. Pages with the environment `copy`
// are run by readme.test.ts.
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { type Environment, environmentOf, linkRepository, PAGES, pageAt } from "./harness/documents";
import { MakeRun } from "./harness/make-run";
import { runPage } from "./harness/page-run";
import { useWorkplace } from "./harness/processes";

const PAGE_TIMEOUT_MS = 240_000;
const timeoutMs = PAGE_TIMEOUT_MS - 10_000;
const WRITTEN_PORT = 6443;

const workplace = useWorkplace();
const pagesOf = (environment: Environment): readonly string[] =>
  PAGES.filter((path) => path.startsWith("docs/") && environmentOf(path) === environment);

/** Environments with a server, of which there are pages. */
const served = (["kubernetes", "orch"] as const).filter((vocabulary) => pagesOf(vocabulary).length > 0);

for (const vocabulary of served) describe(`with a server that speaks ${vocabulary}`, () => withServer(vocabulary));

function withServer(vocabulary: (typeof served)[number]): void {
  let server: MakeRun;
  beforeAll(async () => {
    server = await MakeRun.start(workplace, `server-${vocabulary}`, [`--vocabulary=${vocabulary}`, "--store=embedded"]);
  }, PAGE_TIMEOUT_MS);
  afterAll(async () => {
    await server?.program.stop();
  });

  for (const path of pagesOf(vocabulary))
    test(
      `${path} works as written`,
      async () => {
        const folder = workplace.folder();
        linkRepository(folder, server.folder);
        const ports = { [WRITTEN_PORT]: Number(new URL(server.url).port) };
        const env = { KUBECONFIG: join(folder, ".orch/admin.kubeconfig"), HOME: folder };
        await runPage(workplace, pageAt(path), { path, folder, ports, env, timeoutMs });
      },
      PAGE_TIMEOUT_MS,
    );
}

describe("without a server", () => {
  for (const path of pagesOf("none"))
    test(
      `${path} works as written`,
      async () => {
        const folder = workplace.folder();
        linkRepository(folder);
        await runPage(workplace, pageAt(path), { path, folder, env: { HOME: folder }, timeoutMs });
      },
      PAGE_TIMEOUT_MS,
    );
});
