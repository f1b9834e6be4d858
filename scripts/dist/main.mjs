// `make dist`: the archive, the Debian package, the npm tarballs, the bill of materials and the checksums of a release.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readCommandLine } from "../command-line.mjs";
import { environment, writeTarball } from "./archive.mjs";
import { assemble } from "./assemble.mjs";
import { writeBillOfMaterials } from "./bill-of-materials.mjs";
import { debianVersion, hasDebianTools, writeDebianPackage } from "./debian-package.mjs";
import { writeNpmPackage } from "./npm-packages.mjs";

const USAGE = `Usage: node scripts/dist/main.mjs [OUT] [--image]

Makes the files of a release in OUT (default: .orch/dist) from the current build. OUT is emptied first.

  --image  also builds the container image orch:VERSION, with the docker engine of this machine`;

const root = fileURLToPath(new URL("../..", import.meta.url));
const { positionals, values } = readCommandLine(USAGE, {
  options: { image: { type: "boolean" } },
  allowPositionals: true,
  check: ({ positionals }) => (positionals.length <= 1 ? undefined : "one folder is expected"),
});
const out = resolve(positionals[0] ?? join(root, ".orch/dist"));
const work = mkdtempSync(join(tmpdir(), "orch-dist-"));
try {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await makeRelease();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function makeRelease() {
  const name = (version) => `orch-${version}-linux-x64`;
  const unnamed = join(work, "product");
  const { release, packages } = await assemble(unnamed);
  const { version, epoch } = release;
  const tell = (file) => console.log(join(out, file));
  const product = join(work, name(version));
  execFileSync("mv", [unnamed, product]);

  const archive = `${name(version)}.tar.gz`;
  writeTarball(join(out, archive), { folder: work, name: name(version), epoch });
  tell(archive);

  if (hasDebianTools()) {
    const debian = `orch_${debianVersion(version)}_amd64.deb`;
    writeDebianPackage(join(out, debian), { root, product, folder: join(work, "debian"), release });
    tell(debian);
  } else console.error("there is no Debian package: dpkg-deb is not installed");

  for (const [each, withTypes] of [
    ["cli", false],
    ["client", true],
  ]) {
    const file = `orch-${each}-${version}.tgz`;
    const folder = join(work, `npm-${each}`);
    writeNpmPackage(join(out, file), { root, name: each, folder, release, withTypes });
    tell(file);
  }
  execFileSync(process.execPath, [join(root, "scripts/bundle-test-server.mjs"), out], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: environment({ SOURCE_DATE_EPOCH: String(epoch) }),
  });
  tell(`orch-test-server-${version}.tgz`);

  const bill = `${name(version)}.cdx.json`;
  writeBillOfMaterials(join(out, bill), { release, packages, withRunTime: true });
  tell(bill);
  const files = readdirSync(out).sort();
  const sums = files.map(
    (file) =>
      `${createHash("sha256")
        .update(readFileSync(join(out, file)))
        .digest("hex")}  ${file}\n`,
  );
  writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
  tell("SHA256SUMS");
  if (values.image) buildImage(release);
}

function buildImage({ version, commit }) {
  const tag = `orch:${version}`;
  const words = ["build", "-f", "deploy/Dockerfile", "--build-arg", `BUILD_COMMIT=${commit}`, "-t", tag, "."];
  const { status, error } = spawnSync("docker", words, { cwd: root, stdio: "inherit" });
  if (error?.code === "ENOENT") throw new Error("docker is not installed: leave out --image");
  if (status !== 0) throw new Error(`docker build of ${tag} failed`);
  console.log(tag);
}
