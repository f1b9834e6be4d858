// Rule of members of which exactly one names nodes. Source: pkg/apis/resource/validation/validation.go.
import { type Rule, subdomain } from "@orch/apis-model";

const TRUE_OR_UNSET = "must be either unset or set to true";

interface Details {
  readonly one: string;
  readonly several: string;
}

/** Requires exactly one of the members; a name that is not empty, or a flag that is true. */
export function nodeChoice<T extends object>(names: readonly (keyof T & string)[], { one, several }: Details): Rule<T> {
  return (value, at, report) => {
    const chosen: string[] = [];
    for (const name of names) {
      const member: unknown = value[name];
      if (member === undefined || member === null) continue;
      if (member === false) report.invalid(at.field(name), member, TRUE_OR_UNSET);
      else if (member === "")
        report.invalid(at.field(name), member, "must be either unset or set to a non-empty string");
      else chosen.push(`\`${name}\``);
      if (typeof member === "string" && member !== "") subdomain(member, at.field(name), report);
    }
    if (chosen.length === 0) report.required(at, one);
    else if (chosen.length > 1) report.invalid(at, `{${chosen.join(", ")}}`, several);
  };
}
