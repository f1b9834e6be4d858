// Builds when an input has changed since the last build, and reports progress. See USAGE.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inputsOf, isBuilt, noteBuilt } from "./build/fingerprint.mjs";
import { Progress } from "./build/progress.mjs";

const USAGE = `Usage: node scripts/build.mjs [--again | --check]

  --again  builds whether or not something has changed, and installs no packages
  --check  builds nothing; ends with 0 when nothing has changed since the last build, else with 1`;

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const [option] = process.argv.slice(2);
switch (option) {
  case undefined:
    if (!isBuilt(root, inputsOf(root))) await build({ installs: true });
    break;
  case "--again":
    await build({ installs: false });
    break;
  case "--check":
    process.exitCode = isBuilt(root, inputsOf(root)) ? 0 : 1;
    break;
  default:
    console.error(USAGE);
    process.exitCode = 1;
}

async function build({ installs }) {
  const progress = new Progress(installs ? 8 : 7);
  const script = (name) => ({ command: [process.execPath, join("scripts", name)] });
  const projects = readdirSync("packages").filter((name) => name !== "console").length;
  let compiled = 0;
  try {
    if (installs)
      await progress.run("Checking and installing packages", {
        command: ["bash", "scripts/install-dependencies.sh"],
        state: installedText,
      });
    const inputs = inputsOf(root);
    await progress.run("Generating the schema", script("generate-schema.mjs"));
    await progress.run("Generating the store's codecs", script("generate-store-codecs.mjs"));
    await progress.run("Compiling", {
      command: ["npx", "--no-install", "tsc", "--build", "--verbose"],
      follow: (line) => {
        if (/ is up to date|Building project /.test(line)) compiled += 1;
      },
      state: () => (compiled === 0 ? "" : `package ${Math.min(compiled, projects)} of ${projects}`),
    });
    await progress.run("Building the console", script("build-console.mjs"));
    await progress.run("Recording the version", script("write-build-record.mjs"));
    await progress.run("Packing the programs", script("pack-programs.mjs"));
    await progress.run("Bundling the command line", script("bundle-cli.mjs"));
    noteBuilt(root, inputs);
    progress.end();
  } catch (error) {
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * Returns how many packages of package-lock.json are unpacked. npm creates all folders before it unpacks the first
 * package, so that only a package.json counts. Optional packages, such as those of other platforms, do not count.
 */
function installedText() {
  const wanted = Object.entries(JSON.parse(readFileSync("package-lock.json", "utf8")).packages).filter(
    ([path, { optional = false }]) => path.startsWith("node_modules/") && !optional,
  );
  return `${wanted.filter(([path]) => existsSync(join(path, "package.json"))).length} of ${wanted.length}`;
}
