// The files of a release: builds of a commit are equal, and each file is used on a system without Node.js.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "../harness/free-port";
import { repository } from "../harness/processes";

const BUILD_TIMEOUT_MS = 900_000;
const USE_TIMEOUT_MS = 300_000;
const CAN_BUILD = process.platform === "linux" && process.arch === "x64";
const CAN_CHANGE_ROOT = CAN_BUILD && spawnSync("unshare", ["--mount", "chroot", "/", "true"]).status === 0;
if (!CAN_BUILD) console.warn("skipped: releases are made on Linux for x64");
else if (!CAN_CHANGE_ROOT) console.warn("skipped: this user may not make mounts and change the root folder");
const groupIf = (can: boolean) => (title: string, body: () => void) =>
  can ? describe(title, body) : test(`${title}: not possible on this machine`, () => {});
const building = groupIf(CAN_BUILD);
const elsewhere = groupIf(CAN_CHANGE_ROOT);

/** Copied parts of the repository, as a second folder with the same build. */
const PARTS = ["packages", "scripts", "deploy", "docs", "proto"];
const FILES = ["package.json", "package-lock.json", "LICENSE", "README.md", "CHANGELOG.md"];
const IDENTITY = { BUILD_COMMIT: "0123456789abcdef0123456789abcdef01234567", SOURCE_DATE_EPOCH: "1790000000" };

/** Loads each module of the pack, except those that run a program or a thread. */
const LOAD_ALL = `
  const pack = require("./node_modules/@orch/platform/bin/packed.js").modules();
  const isProgram = (path) => /(^|[/-])(main|thread)\\.js$/.test(path);
  const missing = [];
  pack.paths.forEach((path, place) => {
    if (isProgram(path) || !path.startsWith("node_modules/@orch/")) return;
    try { pack.loadPlace(place); } catch (error) { missing.push(path + ": " + error.message); }
  });
  console.log(JSON.stringify({ missing, isMany: pack.paths.length > 1000 }));
  process.exit(0);
`;

building("the files of a release", () => {
  let work: string;
  let out: string;
  let version: string;
  const file = (name: string) => join(out, name);
  const run = (program: string, words: readonly string[], more: Parameters<typeof execFileSync>[2] = {}) =>
    execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...more }) as string;

  function build(root: string, target: string, environment: Readonly<Record<string, string>> = {}): void {
    run(process.execPath, [join(root, "scripts/dist/main.mjs"), target], {
      cwd: tmpdir(),
      env: { ...process.env, ...IDENTITY, ...environment },
    });
  }

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "orch-dist-test-"));
    out = join(work, "out");
    version = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).version;
    build(repository, out);
  }, BUILD_TIMEOUT_MS);
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test("are named in the list of checksums, which fits them", () => {
    expect(run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: out })).not.toContain("FAILED");
    const listed = readFileSync(file("SHA256SUMS"), "utf8").trim().split("\n");
    const names = listed.map((line) => line.split("  ")[1]);
    expect(names).toEqual(
      [
        `orch-${version}-linux-x64.cdx.json`,
        `orch-${version}-linux-x64.tar.gz`,
        ...["cli", "client", "test-server"].map((name) => `orch-${name}-${version}.tgz`),
        `orch_${version}_amd64.deb`,
      ].sort(),
    );
  });

  test(
    "are equal when the build lies in another folder, with another mask, locale and time zone",
    () => {
      const copy = join(work, "elsewhere/copy of it");
      for (const part of [...PARTS, ...FILES])
        cpSync(join(repository, part), join(copy, part), { recursive: true, verbatimSymlinks: true });
      mkdirSync(join(copy, "node_modules"));
      run("cp", ["-a", `${join(repository, "node_modules")}/.`, join(copy, "node_modules")]);
      symlinkSync(join(repository, ".tools"), join(copy, ".tools"));
      const mask = process.umask(0o077);
      try {
        build(copy, join(work, "again"), { LC_ALL: "C.UTF-8", TZ: "Asia/Tokyo" });
      } finally {
        process.umask(mask);
      }
      const sums = (folder: string) => readFileSync(join(folder, "SHA256SUMS"), "utf8");
      expect(sums(join(work, "again"))).toBe(sums(out));
    },
    BUILD_TIMEOUT_MS,
  );

  test("have a bill of materials with every package of the archive, and Node.js", () => {
    const bill = JSON.parse(readFileSync(file(`orch-${version}-linux-x64.cdx.json`), "utf8"));
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "orch", version } } });
    const references = bill.components.map((component: { readonly "bom-ref": string }) => component["bom-ref"]);
    const listed = run("tar", ["-tzf", file(`orch-${version}-linux-x64.tar.gz`)]).split("\n");
    const manifest = /^[^/]+\/lib\/orch\/((?:node_modules\/(?:@[^/]+\/)?[^/]+\/)+)package\.json$/;
    const packages = listed
      .map((path) => manifest.exec(path)?.[1]?.slice(0, -1))
      .filter((path) => path !== undefined && !/node_modules\/@orch\/[^/]+$/.test(path));
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter((path) => !references.includes(path))).toEqual([]);
    expect(references.some((reference: string) => /^node@26\./.test(reference))).toBe(true);
    expect(bill.components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  });

  test("contain no tests, declarations, source maps, nor paths of the machine that built them", () => {
    const target = join(work, "unpacked");
    mkdirSync(target);
    run("tar", ["-xzf", file(`orch-${version}-linux-x64.tar.gz`), "-C", target]);
    const paths = readdirSync(target, { recursive: true, encoding: "utf8" });
    expect(paths.filter((path) => /\.test\.|\.map$|\.tsbuildinfo$|\.d\.ts$/.test(path))).toEqual([]);
    const found = spawnSync("grep", ["-rlF", "--", repository, target], { encoding: "utf8" });
    expect(found.stdout).toBe("");
  });

  test("contain whatever their modules require, also when an option makes a server load them", () => {
    const target = join(work, "loaded");
    mkdirSync(target);
    run("tar", ["-xzf", file(`orch-${version}-linux-x64.tar.gz`), "-C", target, "--strip-components=1"]);
    const lib = join(target, "lib/orch");
    const loaded = run(join(lib, "node"), ["--eval", LOAD_ALL], { cwd: lib });
    expect(JSON.parse(loaded)).toEqual({ missing: [], isMany: true });
  });

  elsewhere("on another system", () =>
    test(
      "start a server where there is only a C library and a shell",
      async () => {
        const root = bareSystem(join(work, "bare"));
        run("tar", ["-xzf", file(`orch-${version}-linux-x64.tar.gz`), "-C", join(root, "opt")]);
        const port = await freePort();
        const script = `
        cd /opt/orch-*; export HOME=/tmp
        bin/orch up -d --data-dir=/tmp/data --port=${port} >&2
        bin/orch create configmap hello --from-literal=greeting=hi >&2
        bin/orch get configmap hello -o jsonpath='{.data.greeting}'
        bin/orch down --data-dir=/tmp/data >&2`;
        const { status, stdout, stderr } = spawnSync(
          "unshare",
          [
            "--mount",
            "sh",
            "-c",
            `mount -t proc proc '${root}/proc' && exec chroot '${root}' /bin/sh -ec "$0"`,
            script,
          ],
          { encoding: "utf8", timeout: USE_TIMEOUT_MS, env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" } },
        );
        expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: "hi" });
      },
      USE_TIMEOUT_MS,
    ),
  );

  test("are a Debian package with a configuration file, a man page and completions", () => {
    const archive = file(`orch_${version}_amd64.deb`);
    const fields = run("dpkg-deb", ["--field", archive]);
    expect(fields).toContain(`Version: ${version}\n`);
    const listed = run("dpkg-deb", ["--contents", archive]).trim().split("\n");
    const owners = new Set(listed.map((line) => line.split(/\s+/)[1]));
    expect([...owners]).toEqual(["root/root"]);
    const modes = new Set(listed.map((line) => line.split(/\s+/)[0]));
    expect([...modes].sort()).toEqual(["-rw-r--r--", "-rwxr-xr-x", "drwxr-xr-x"]);
    const paths = listed.map((line) => line.split(/\s+/)[5]);
    for (const path of [
      ...["./usr/bin/orch", "./usr/bin/kubectl-orch", "./usr/lib/orch/node", "./etc/orch/orch.yaml"],
      ...["./usr/share/man/man1/orch.1.gz", "./usr/share/bash-completion/completions/orch"],
      ...["./usr/share/doc/orch/copyright", "./usr/lib/systemd/system/orch-apiserver.service"],
    ])
      expect(paths).toContain(path);
  });

  elsewhere("on a copy of this system", () =>
    test(
      "are a Debian package that is installed, serves with its configuration, and is purged",
      async () => {
        const port = await freePort();
        cpSync(file(`orch_${version}_amd64.deb`), join(work, "orch.deb"));
        const script = `
        dpkg --install /package/orch.deb >&2
        test "$(stat -c '%U:%G %a' /var/lib/orch)" = 'orch:orch 700'
        orch --version >&2
        sed -i 's/^secure-port: .*/secure-port: ${port}/' /etc/orch/orch.yaml
        setpriv --reuid=orch --regid=orch --clear-groups orch standalone --data-dir=/var/lib/orch --config=/etc/orch/orch.yaml >/tmp/log 2>&1 &
        for try in $(seq 300); do test -s /var/lib/orch/admin.kubeconfig && break; sleep 0.2; done
        export KUBECONFIG=/var/lib/orch/admin.kubeconfig HOME=/tmp
        orch create configmap hello --from-literal=greeting=hi >&2 || { cat /tmp/log >&2; exit 1; }
        orch get configmap hello -o jsonpath='{.data.greeting}'
        kill $! && wait $! || true
        dpkg --remove orch >&2
        test -e /etc/orch/orch.yaml && test -d /var/lib/orch && ! test -e /usr/bin/orch
        dpkg --purge orch >&2
        for path in /etc/orch /var/lib/orch /usr/lib/orch /usr/share/doc/orch; do ! test -e $path; done
        ! getent passwd orch`;
        expect(inCopyOfSystem(script)).toMatchObject({ status: 0, stdout: "hi" });
      },
      USE_TIMEOUT_MS,
    ),
  );

  /** Runs a script on an overlay of this system, whose changes are lost. */
  function inCopyOfSystem(script: string) {
    const layers = join(work, "layers");
    for (const name of ["upper", "work", "merged"]) mkdirSync(join(layers, name), { recursive: true });
    // The upper layer must lie on a file system that overlays support, which that of the temporary folder may not be.
    const enter = `
      mount -t tmpfs tmpfs '${layers}' && mkdir '${layers}/upper' '${layers}/work' '${layers}/merged'
      mount -t overlay overlay -o lowerdir=/,upperdir='${layers}/upper',workdir='${layers}/work' '${layers}/merged'
      mount -t proc proc '${layers}/merged/proc' && mount -t tmpfs tmpfs '${layers}/merged/run'
      mount -t tmpfs tmpfs '${layers}/merged/tmp' && mkdir '${layers}/merged/package'
      mount --bind /dev '${layers}/merged/dev'
      cp '${work}/orch.deb' '${layers}/merged/package'
      exec chroot '${layers}/merged' /bin/sh -ec "$0"`;
    const { status, stdout, stderr } = spawnSync("unshare", ["--mount", "sh", "-ec", enter, script], {
      encoding: "utf8",
      timeout: USE_TIMEOUT_MS,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DEBIAN_FRONTEND: "noninteractive" },
    });
    return { status, stdout, stderr };
  }

  test.each([
    ["cli", 'require("node:child_process").execFileSync("npx", ["--no-install", "orch", "completion", "bash"])'],
    ["client", 'if (typeof require("@orch/client").Client !== "function") throw new Error("no Client")'],
  ])(
    "are an npm package of the %s, which npm installs with its dependencies",
    (name, use) => {
      const project = join(work, `project-${name}`);
      mkdirSync(project);
      writeFileSync(join(project, "package.json"), "{}");
      const words = ["install", "--no-audit", "--no-fund", "--prefer-offline", file(`orch-${name}-${version}.tgz`)];
      run("npm", words, { cwd: project });
      run(process.execPath, ["-e", use], { cwd: project });
    },
    USE_TIMEOUT_MS,
  );
});

/** Makes a root folder with the C library, the libraries of C++ and a shell, and none of the library libatomic. */
function bareSystem(root: string): string {
  for (const folder of ["bin", "opt", "tmp", "proc", "dev", "etc", "usr/bin"])
    mkdirSync(join(root, folder), { recursive: true });
  const shell = "/bin/sh";
  const listed = (program: string) =>
    [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(?:=> )?(\/\S+) \(/g)].map(([, path]) => path);
  const libraries = new Set([...listed(shell), ...listed(process.execPath)]);
  for (const path of libraries) {
    if (path === undefined || path.includes("libatomic")) continue;
    mkdirSync(join(root, dirname(path)), { recursive: true });
    cpSync(path, join(root, path), { dereference: true });
  }
  cpSync(shell, join(root, shell), { dereference: true });
  for (const device of ["null", "urandom", "random"]) execFileSync("cp", ["-a", `/dev/${device}`, join(root, "dev")]);
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/tmp:/bin/sh\n");
  return root;
}
