// Writes the files of the test server's package beside its bundle.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const OWN = "packages/test-server";

export function writePackageFiles(root, folder) {
  const { name, version, license, description } = JSON.parse(readFileSync(join(root, OWN, "package.json"), "utf8"));
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  cpSync(join(root, OWN, "bundle"), folder, { recursive: true });
  writeFileSync(join(folder, "orch-envtest/kube-apiserver-help.txt"), apiServerHelp(root));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(root, OWN, "README.md"), join(folder, "README.md"));
  const names = Object.keys(createRequire(import.meta.url)(join(root, "packages/client/dist/index.js"))).join(", ");
  writeFileSync(
    join(folder, "client.mjs"),
    `import client from "./client.cjs";\n\nexport const { ${names} } = client;\n`,
  );
  for (const [file, text] of Object.entries(DECLARATIONS)) writeFileSync(join(folder, file), text);
  const contents = {
    ...{ name, version, description, license, engines },
    main: "./index.cjs",
    types: `./${CJS_TYPES}`,
    bin: { "test-server": "./command.cjs" },
    exports: EXPORTS,
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(contents, undefined, 2)}\n`);
}

/** Help of the program `kube-apiserver`, which its script prints without a start of the program. */
function apiServerHelp(root) {
  const program = JSON.stringify(join(root, OWN, "dist/envtest/api-server.js"));
  const text = `require(${program}).runApiServer(["--help"], {})`;
  return execFileSync(process.execPath, ["--eval", text], { encoding: "utf8" });
}

const CJS_TYPES = "types/test-server/index.d.ts";

const POOLED = `import type { PooledServer } from "./types/test-server/pool/pooled-server.js";
export type { PooledIdentity, PooledServer } from "./types/test-server/pool/pooled-server.js";
/** The server of this worker. Its objects are reset before the tests of each file. */
export declare const server: PooledServer;
`;
const SETUP = `import type { PoolOptions } from "./types/test-server/pool/server-pool.js";
/** Returns a global setup with options, such as \`{ crds: ["config/crd"] }\`. */
export declare function globalSetup(options?: PoolOptions): `;

const DECLARATIONS = {
  "index.d.mts": 'export * from "./types/test-server/index.js";\n',
  "client.d.mts": 'export * from "./types/client/index.js";\n',
  "vitest.d.mts": POOLED,
  "jest.d.ts": POOLED,
  "vitest-global.d.mts": `${SETUP}() => Promise<() => Promise<void>>;
declare const setup: () => Promise<() => Promise<void>>;
export default setup;
`,
  "jest-global.d.ts": `${SETUP}() => Promise<void>;
declare const setup: () => Promise<void>;
export default setup;
`,
  "jest-teardown.d.ts": "declare const teardown: () => Promise<void>;\nexport default teardown;\n",
};

const EXPORTS = {
  ".": {
    import: { types: "./index.d.mts", default: "./index.mjs" },
    require: { types: `./${CJS_TYPES}`, default: "./index.cjs" },
  },
  "./client": {
    import: { types: "./client.d.mts", default: "./client.mjs" },
    require: { types: "./types/client/index.d.ts", default: "./client.cjs" },
  },
  "./vitest": { types: "./vitest.d.mts", default: "./vitest.mjs" },
  "./vitest/global": { types: "./vitest-global.d.mts", default: "./vitest-global.mjs" },
  "./jest": { types: "./jest.d.ts", default: "./jest.cjs" },
  "./jest/global": { types: "./jest-global.d.ts", default: "./jest-global.cjs" },
  "./jest/teardown": { types: "./jest-teardown.d.ts", default: "./jest-teardown.cjs" },
  "./package.json": "./package.json",
};
