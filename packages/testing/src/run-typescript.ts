// Runs TypeScript sources in a separate process, which a test may kill.

import { type ChildProcess, spawn } from "node:child_process";

const COMPILE_ON_REQUIRE = `
  const { transformFileSync } = require("@swc/core");
  require.extensions[".ts"] = (module, file) => {
    const options = { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } };
    module._compile(transformFileSync(file, options).code, file);
  };
`;

/**
 * Starts a process that runs the code.
 * @param body plain JavaScript inside an async function; `require` resolves from `directory`
 * @param fileKib maximum size of the files it writes; undefined: no limit
 * @returns the process; its output is on its `stdout`, its errors go to the standard error of the test
 */
export function runInProcess(
  directory: string,
  body: string,
  { fileKib }: { readonly fileKib?: number } = {},
): ChildProcess {
  const script = `${COMPILE_ON_REQUIRE}(async () => {${body}})().catch((error) => { console.error(error); process.exit(1); });`;
  const [program, ...args] =
    fileKib === undefined
      ? [process.execPath]
      : ["bash", "-c", `ulimit -f ${fileKib} && exec "$@"`, "-", process.execPath];
  return spawn(program as string, [...args, "-e", script], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
}
