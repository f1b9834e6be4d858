// Command-line parsing of the project's programs, driven by tables of flags.
export { type AcceptedRow, acceptedFlags, type DeprecatedRow } from "./accepted-rows";
export { type KnownFlags, withFlagFile } from "./flag-file";
export { type ConfigOf, type FlagRow, type FlagTable, type FlagValues, section } from "./flag-table";
export { flagTexts } from "./flag-text";
export { brokenBound } from "./flag-values";
export { helpSection, helpText } from "./help-text";
export { defaultsOf, parseFlags } from "./parse-flags";
export { unknownFlag } from "./unknown-flag";
