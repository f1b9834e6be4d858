// Configuration of knip, which `npm run lint` runs: no unused file, export or dependency is allowed.
// `entry` lists files that no import names: programs, worker threads and scripts that a command or a test starts.

/** A module that is loaded when it is first needed. Knip knows such a call only without the cast. */
const LATE_MODULE = /require\(("[^"]+")\) as typeof import\(\1\)/g;
const MEMBER_OF_LATE_MODULE = /\(\s*require\(("[^"]+")\)\s*\)\.(\w+)/g;
/** A symbol of another package that a package exports again. Knip counts only exports of the same package. */
const EXPORTED_AGAIN = /^export (?:type )?(\{[^}]*\}) from ("@orch\/[^"]+");/gm;

/** Returns a source text in which all uses of other modules are calls and imports that knip knows. Positions hold. */
function ts(text) {
  const plain = text.replace(LATE_MODULE, (call, path) => `require(${path})`.padEnd(call.length));
  const members = [...plain.matchAll(MEMBER_OF_LATE_MODULE)].map(
    ([, path, name]) => `import { ${name} } from ${path};`,
  );
  const again = [...text.matchAll(EXPORTED_AGAIN)].map(([, names, path]) => `import ${names} from ${path};`);
  return [plain, ...members, ...again].join("\n");
}

/** Symbols of built packages that scripts/pack/compile.mjs loads by path. */
const OF_BUILT_PACKAGE = /const (\{[^}]*\}) = packed\(join\(packed\.PACKAGES, "([a-z-]+)\/dist\/index\.js"\)\)/g;

/** Returns a script's text with an import for each symbol that it loads by path. */
function mjs(text) {
  const loaded = [...text.matchAll(OF_BUILT_PACKAGE)].map(
    ([, names, name]) => `import ${names} from "../../packages/${name}/src/index.ts";`,
  );
  return [text, ...loaded].join("\n");
}

/** Path of each package's sources, from the folder of a package. The check does not need a build. */
const paths = { "@orch/*": ["../*/src/index.ts"] };
const closed = { paths, includeEntryExports: true };

export default {
  compilers: { ts, mjs },
  // Programs of the operating system that tests and scripts start.
  exclude: ["binaries"],
  workspaces: {
    ".": {
      paths: { "@orch/*": ["packages/*/src/index.ts"] },
      entry: [
        "scripts/*.{mjs,cjs}",
        "scripts/pack/{choose.mjs,compile.mjs,compile-listed.mjs,record.mjs,locate.mjs,keep-command-code.cjs}",
        "scripts/dist/{assemble,main,run-times}.mjs",
        "scripts/tools/helm.mjs",
        "deploy/helm/*/files/*.mjs",
        "scripts/bench/{load,baseline-server,in-process-start}.mjs",
        "scripts/bench/test-server-project.cjs",
        "test-e2e/harness/**/*.cjs",
        "test-e2e/harness/**/*-program.mjs",
        "deploy/compose/certificates.mjs",
      ],
      // Commands that scripts start by path, and packages of the projects that test-e2e/test-server-package.test.ts makes.
      ignoreDependencies: ["@kubernetes/client-node", "jest", "protobufjs-cli"],
    },
    // The `index.ts` of a package exports only what other packages use.
    "packages/*": closed,
    // Public interfaces: users import these packages.
    "packages/client": { paths },
    "packages/apiserver": {
      paths,
      entry: ["src/main.ts", "src/**/large-object-thread.ts", "pages/docs/*.js"],
      // Files that the server sends to browsers.
      ignoreDependencies: ["@orch/console", "swagger-ui-dist"],
    },
    "packages/apiserver-program": { ...closed, entry: ["src/main.ts", "src/program/main.ts"] },
    "packages/controllers": { ...closed, entry: ["src/main.ts", "src/program/main.ts"] },
    // The interface of the published package, and the modules that its entry files take from the bundle.
    "packages/test-server": {
      paths,
      entry: ["bundle/*.{cjs,mjs}", "src/envtest/api-server.ts", "src/pool/{pool-thread,pooled-server,server-pool}.ts"],
      // Written by scripts/test-server/bundle.mjs.
      ignoreUnresolved: ["./runner.cjs"],
    },
    "packages/console": { ...closed, entry: ["src/main.tsx"] },
    // The bundle loads the programs of servers by path.
    "packages/cli": {
      ...closed,
      entry: ["src/commands/**/*.ts", "src/server-main.ts", "bin/*.js"],
    },
    "packages/standalone": { paths, entry: ["src/program/main.ts"] },
    "packages/audit": { ...closed, entry: ["src/thread/audit-thread-main.ts"] },
  },
};
