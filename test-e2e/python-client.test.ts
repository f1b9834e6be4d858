// The client library for Python of the Kubernetes ecosystem, as Debian ships it, against a server that speaks that vocabulary.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { tool, useWorkplace } from "./harness/processes";

const PROGRAM = join(__dirname, "python-client.py");

const workplace = useWorkplace();
let server: ApiServer;
let ca: string;

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" }, flags: ["--vocabulary=kubernetes"] });
  ca = server.authority.issue("apiserver").ca;
}, 60_000);

/** @throws Error with what the program complained about */
async function run(scenario: string): Promise<void> {
  await promisify(execFile)(tool("python3-kubernetes"), [PROGRAM, scenario], {
    timeout: 60_000,
    env: {
      ...process.env,
      SERVER: server.url,
      CA: ca,
      TOKEN: "admin-token",
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
}

describe("creates, reads, lists, patches, replaces, deletes and watches", () => {
  test.each(["pods", "deployments", "config_maps", "custom_objects"])(
    "%s",
    async (scenario) => {
      await expect(run(scenario)).resolves.toBeUndefined();
    },
    60_000,
  );
});

test("reads every kind of every group version", async () => {
  const options = [`--server=${server.url}`, `--certificate-authority=${ca}`, "--token=admin-token"];
  const create = ["create", "-f", join(__dirname, "manifests"), `--cache-dir=${workplace.folder()}`];
  await promisify(execFile)(tool("kubectl"), [...options, ...create], { timeout: 60_000 });
  await expect(run("every_kind")).resolves.toBeUndefined();
}, 60_000);
