import { stringify } from "yaml";

/** Returns a value as YAML, without folded lines and aliases. */
export const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
