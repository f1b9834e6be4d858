// Paths in file systems, as volumes and mounts name them.
import type { Rule } from "../model/rules/rule";

const goesUp = (path: string): boolean => path.includes("..") && path.split("/").includes("..");

/** No step up to the parent. */
export const pathWithoutBacksteps: Rule<string> = (value, at, report) => {
  if (goesUp(value)) report.invalid(at, value, "must not contain '..'");
};

/** Relative, and no step up to the parent. */
export const descendingPath: Rule<string> = (value, at, report) => {
  if (value.startsWith("/")) report.invalid(at, value, "must be a relative path");
  pathWithoutBacksteps(value, at, report);
};

/** A descending path whose first name does not begin with dots that the server's own files begin with. */
export const unreservedPath: Rule<string> = (value, at, report) => {
  descendingPath(value, at, report);
  if (value.startsWith("..") && !value.startsWith("../") && value !== "..") {
    report.invalid(at, value, "must not start with '..'");
  }
};

export const absolutePath: Rule<string> = (value, at, report) => {
  if (!value.startsWith("/")) report.invalid(at, value, "must be an absolute path");
};
