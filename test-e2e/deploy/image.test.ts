// The container image: what is in it, how large it is, how it is built, and a server that runs from it without any right.
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithEngine, NpmSecrets } from "../harness/containers/container-engine";
import { BUILD_COMMIT, buildImage, copySources, IMAGE, VERSION } from "../harness/containers/orch-image";
import { eventually } from "../harness/eventually";
import { useWorkplace } from "../harness/processes";

const workplace = useWorkplace();
const BUILD_TIMEOUT_MS = 1_500_000;
const MEGABYTE = 1e6;
const LARGEST_MEGABYTES = 160;
const CONTAINED = [
  "--read-only",
  "--tmpfs=/tmp",
  "--cap-drop=ALL",
  "--security-opt=no-new-privileges",
  "--memory=512m",
];

interface ImageConfiguration {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Labels: Readonly<Record<string, string>>;
}

describeWithEngine("the image", ["node"], (engine) => {
  let secrets: NpmSecrets;
  const folder = workplace.folder();
  const name = `orch-image-test-${process.pid}`;

  beforeAll(async () => {
    secrets = new NpmSecrets();
    copySources(folder);
    await buildImage(engine, folder, secrets);
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await engine.run(["rm", "--force", "--volumes", name]);
    await engine.run(["volume", "rm", "--force", name]);
    secrets.remove();
  }, 60_000);

  test("is smaller than 160 MB", async () => {
    const bytes = Number(await engine.docker(["image", "inspect", "--format={{.Size}}", IMAGE]));
    console.info(`${IMAGE} has ${(bytes / MEGABYTE).toFixed(1)} MB`);
    expect(bytes).toBeLessThan(LARGEST_MEGABYTES * MEGABYTE);
  });

  test("has a user without rights, a health check and labels", async () => {
    const text = await engine.docker(["image", "inspect", "--format={{json .Config}}", IMAGE]);
    const { User, Entrypoint, Healthcheck, Labels } = JSON.parse(text) as ImageConfiguration;
    expect({ User, Entrypoint }).toEqual({ User: "65532:65532", Entrypoint: ["orch"] });
    expect(Healthcheck.Test).toEqual(["CMD", "orch", "status"]);
    expect(Labels).toMatchObject({
      "org.opencontainers.image.title": "orch",
      "org.opencontainers.image.version": VERSION,
      "org.opencontainers.image.revision": BUILD_COMMIT,
      "org.opencontainers.image.licenses": "Apache-2.0",
    });
    const tags = await engine.docker(["images", "--format={{.Tag}}", "orch"]);
    expect(tags.split("\n")).not.toContain("latest");
  });

  test("contains programs only, and nothing of the machine that built it", async () => {
    const files = (await filesOf(IMAGE)).filter((path) => !path.endsWith("/"));
    expect(files.length).toBeGreaterThan(100);
    const unwanted =
      /\.(map|ts|tsbuildinfo|md)$|\.test\.|\/testing\/|npmrc|^(usr\/)?s?bin\/(sh|bash|npm|apt)|^run\/secrets/;
    expect(files.filter((path) => unwanted.test(path))).toEqual([]);
    expect(files).toContain("usr/share/doc/orch/third-party-licenses.txt");
    expect(files.filter((path) => path.endsWith("/copyright")).length).toBeGreaterThanOrEqual(3);
    const history = await engine.docker(["history", "--no-trunc", IMAGE]);
    expect(history).not.toContain(new URL(secrets.registry).host);
  }, 120_000);

  async function filesOf(image: string): Promise<readonly string[]> {
    const container = await engine.docker(["create", image]);
    const archive = join(workplace.folder(), "image.tar");
    await engine.docker(["export", `--output=${archive}`, container]);
    await engine.docker(["rm", container]);
    return execFileSync("tar", ["-tf", archive], { encoding: "utf8", maxBuffer: 2 ** 26 })
      .trim()
      .split("\n");
  }

  test(
    "keeps the layer of dependencies when sources change",
    async () => {
      appendFileSync(join(folder, "packages/cli/src/main.ts"), "\n// changed\n");
      const words = [
        "build",
        "--file=deploy/Dockerfile",
        "--target=dependencies",
        "--progress=plain",
        ...secrets.options,
        ".",
      ];
      const { code, stderr } = await engine.run(words, { cwd: folder });
      expect(code).toBe(0);
      const step = /^#(\d+) \[dependencies \d+\/\d+\] RUN .*npm ci/m.exec(stderr)?.[1];
      expect(stderr).toMatch(new RegExp(`^#${step} CACHED`, "m"));
    },
    BUILD_TIMEOUT_MS,
  );

  test("is built on the digest that an argument names", async () => {
    const digest = `sha256:${"0".repeat(64)}`;
    const words = ["build", "--file=deploy/Dockerfile", `--build-arg=NODE_DIGEST=${digest}`, "."];
    const { code, stderr } = await engine.run(words, { cwd: folder });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`node:26-trixie-slim@${digest}`);
  }, 120_000);

  test("runs a server with a read-only root file system, which becomes healthy, keeps its objects and stops with 0", async () => {
    await engine.docker(["run", "--detach", `--name=${name}`, ...CONTAINED, `--volume=${name}:/var/lib/orch`, IMAGE]);
    const state = (field: string) => engine.docker(["inspect", `--format={{.State.${field}}}`, name]);
    const healthy = () =>
      eventually("the container is healthy", async () => (await state("Health.Status")) === "healthy", {
        timeoutMs: 90_000,
        pauseMs: 500,
      });
    await healthy();
    const orch = (...words: string[]) => engine.docker(["exec", name, "orch", ...words]);
    expect(await orch("get", "--raw=/version")).toContain(BUILD_COMMIT);
    expect(await orch("create", "configmap", "kept", "--from-literal=text=hello")).toContain("created");
    await engine.docker(["stop", name]);
    expect(await state("ExitCode")).toBe("0");
    await engine.docker(["start", name]);
    await healthy();
    expect(await orch("get", "configmap", "kept", "-o", "jsonpath={.data.text}")).toBe("hello");
  }, 300_000);
});
