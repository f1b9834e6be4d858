// Samples of a metrics page in the text format of Prometheus. Source: Prometheus documentation, "Exposition formats".

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Metrics by name. Names of absent metrics give no samples. */
export class Metrics {
  private readonly samples = new Map<string, Sample[]>();

  /** @param isWanted whether the samples of a name are kept */
  constructor(text: string, isWanted: (name: string) => boolean = () => true) {
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      const end = /[{ ]/.exec(line)?.index ?? line.length;
      const name = line.slice(0, end);
      if (!isWanted(name)) continue;
      const sample = sampleIn(line.slice(end));
      if (sample === undefined) continue;
      const known = this.samples.get(name);
      if (known === undefined) this.samples.set(name, [sample]);
      else known.push(sample);
    }
  }

  of(name: string): readonly Sample[] {
    return this.samples.get(name) ?? [];
  }

  /** Returns the samples of the first name that has any: names differ by release and by server. */
  firstOf(...names: readonly string[]): readonly Sample[] {
    return names.map((name) => this.of(name)).find((samples) => samples.length > 0) ?? [];
  }

  /** Returns the sum of all samples. @returns undefined without samples */
  total(...names: readonly string[]): number | undefined {
    const samples = this.firstOf(...names);
    return samples.length === 0 ? undefined : samples.reduce((sum, { value }) => sum + value, 0);
  }
}

const LABEL = /(\w+)="((?:[^"\\]|\\.)*)",?/y;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", "\\": "\\", '"': '"' };

function sampleIn(rest: string): Sample | undefined {
  const labels: Record<string, string> = {};
  let at = 0;
  if (rest.startsWith("{")) {
    LABEL.lastIndex = 1;
    for (let found = LABEL.exec(rest); found !== null; found = LABEL.exec(rest)) {
      const [, name = "", text = ""] = found;
      labels[name] = text.replace(/\\(.)/g, (_, character: string) => ESCAPED[character] ?? character);
      at = LABEL.lastIndex;
    }
    at = rest.indexOf("}", at) + 1;
    if (at === 0) return undefined;
  }
  const [value = ""] = rest.slice(at).trim().split(" ");
  const number =
    value === "+Inf" ? Number.POSITIVE_INFINITY : value === "-Inf" ? Number.NEGATIVE_INFINITY : Number(value);
  return value === "" ? undefined : { labels, value: number };
}
