// Files from published npm packages: fetched on demand and kept under .build, never part of this repository.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./processes";

const FETCH_TIMEOUT_MS = 60_000;

/** @param specifier name and exact version, `@scope/name@1.2.3` @returns the directory of the unpacked package */
export function npmPackage(specifier: string): string {
  const folder = join(repository, ".build/npm-packages", specifier.replaceAll("/", "+"));
  if (existsSync(folder)) return join(folder, "package");
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const options = { cwd: making, timeout: FETCH_TIMEOUT_MS, encoding: "utf8", env: npmEnvironment() } as const;
  const archive = execFileSync("npm", ["pack", specifier, "--silent"], options).trim().split("\n").pop() ?? "";
  execFileSync("tar", ["xzf", archive], options);
  try {
    renameSync(making, folder);
  } catch {
    rmSync(making, { recursive: true, force: true }); // another test has finished first
  }
  return join(folder, "package");
}

/** Returns the environment with the authorities that the user has added, which programs under test do not have. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const { NPM_EXTRA_CA_CERTS: added, ...environment } = process.env;
  return added === undefined ? environment : { ...environment, NODE_EXTRA_CA_CERTS: added };
}
