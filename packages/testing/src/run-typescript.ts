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
 * @param body plain JavaScript inside an async function; `require` resolves from `directory`
 * @param fileKib what no file that it writes may exceed; undefined: no bound
 * @returns the process; what it prints is on its `stdout`, its errors go to the test's own
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
