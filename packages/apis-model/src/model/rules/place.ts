// Location of a rule in an object. Formatted only for errors: a chain of steps costs a valid object next to nothing.

type StepKind = "field" | "item" | "key";

export class Place {
  static readonly ROOT = new Place(undefined, "", "field");

  private readonly parent: Place | undefined;
  private readonly step: string | number;
  private readonly kind: StepKind;

  private constructor(parent: Place | undefined, step: string | number, kind: StepKind) {
    this.parent = parent;
    this.step = step;
    this.kind = kind;
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

  /**
   * Formats the path, such as `spec.containers[0].name`; "" for the object itself. Of a path that is too long, the end
   * after `…`.
   */
  toString(): string {
    let text = "";
    let place: Place = this;
    for (let parent = place.parent; parent !== undefined; parent = place.parent) {
      text = place.text(parent.parent === undefined) + text;
      if (text.length > TEXT_MAX_CHARACTERS) return `…${text.slice(-TEXT_MAX_CHARACTERS)}`;
      place = parent;
    }
    return text;
  }

  private text(isFirst: boolean): string {
    const step = String(this.step);
    if (step.length > TEXT_MAX_CHARACTERS) return step.slice(-TEXT_MAX_CHARACTERS - 1);
    if (this.kind !== "field") return `[${step}]`;
    return isFirst ? step : `.${step}`;
  }
}

/** Maximum length of a formatted path. A key may be as long as the body and appears in every path below it. */
const TEXT_MAX_CHARACTERS = 2048;
