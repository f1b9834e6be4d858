// Rules of file system paths in volumes and mounts.
import type { Rule } from "../model/rules/rule";

const goesUp = (path: string): boolean => path.includes("..") && path.split("/").includes("..");

/** Rejects the segment `..`. */
export const pathWithoutBacksteps: Rule<string> = (value, at, report) => {
  if (goesUp(value)) report.invalid(at, value, "must not contain '..'");
};

/** Requires a relative path without the segment `..`. */
export const descendingPath: Rule<string> = (value, at, report) => {
  if (value.startsWith("/")) report.invalid(at, value, "must be a relative path");
  pathWithoutBacksteps(value, at, report);
};

/**
 * Requires a relative path without `..` whose first name does not start with two dots, which are reserved for internal
 * files.
 */
export const unreservedPath: Rule<string> = (value, at, report) => {
  descendingPath(value, at, report);
  if (value.startsWith("..") && !value.startsWith("../") && value !== "..") {
    report.invalid(at, value, "must not start with '..'");
  }
};

export const absolutePath: Rule<string> = (value, at, report) => {
  if (!value.startsWith("/")) report.invalid(at, value, "must be an absolute path");
};
