// Where in an object a rule looks. Spelled only when something is wrong there: a chain of steps costs a valid object next to nothing.

type StepKind = "field" | "item" | "key";

export class Place {
  static readonly ROOT = new Place(undefined, "", "field");

  readonly #parent: Place | undefined;
  readonly #step: string | number;
  readonly #kind: StepKind;

  private constructor(parent: Place | undefined, step: string | number, kind: StepKind) {
    this.#parent = parent;
    this.#step = step;
    this.#kind = kind;
  }

  field(name: string): Place {
    return new Place(this, name, "field");
  }

  item(position: number): Place {
    return new Place(this, position, "item");
  }

  key(name: string): Place {
    return new Place(this, name, "key");
  }

  /** `spec.containers[0].name`; "" for the object itself. */
  toString(): string {
    if (this.#parent === undefined) return "";
    const parent = this.#parent.toString();
    if (this.#kind !== "field") return `${parent}[${this.#step}]`;
    return parent === "" ? String(this.#step) : `${parent}.${this.#step}`;
  }
}
