// Options `--kinds` and `--exclude`: resources by any of their names.
import { CliError } from "../../process/cli-error";
import { kindName } from "./archive-form";

export interface NamedKind {
  readonly resource: string;
  readonly group: string;
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
}

export interface KindOptions {
  readonly kinds?: string;
  readonly exclude?: string;
}

/** Selection of resources. */
export class KindChoice {
  private readonly wanted: ReadonlySet<string> | undefined;
  private readonly excluded: ReadonlySet<string>;

  /** @throws CliError for a name that no resource has */
  constructor({ kinds, exclude }: KindOptions, all: readonly NamedKind[]) {
    this.wanted = kinds === undefined ? undefined : namesOf("--kinds", kinds, all);
    this.excluded = exclude === undefined ? new Set() : namesOf("--exclude", exclude, all);
  }

  includes(kind: NamedKind): boolean {
    return !this.excluded.has(kindName(kind)) && (this.wanted === undefined || this.wanted.has(kindName(kind)));
  }

  /** Tells whether the user has named the resource. */
  names(kind: NamedKind): boolean {
    return this.wanted?.has(kindName(kind)) === true;
  }
}

function namesOf(option: string, text: string, all: readonly NamedKind[]): ReadonlySet<string> {
  const found = text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .flatMap((name) => {
      const matching = all.filter((kind) => isNamed(kind, name.toLowerCase()));
      if (matching.length > 0) return matching.map(kindName);
      throw new CliError(
        `${option}: ${JSON.stringify(name)} is no resource here: use names such as deployments, deploy or crontabs.example.com`,
      );
    });
  return new Set(found);
}

function isNamed(kind: NamedKind, name: string): boolean {
  const names = [kind.resource, kind.singular, kind.kind.toLowerCase(), ...kind.shortNames];
  return names.includes(name) || (kind.group !== "" && names.some((each) => `${each}.${kind.group}` === name));
}
