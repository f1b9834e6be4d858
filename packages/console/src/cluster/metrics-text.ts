// Samples of a metrics page in the text format of Prometheus. Source: Prometheus documentation, "Exposition formats".

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Lines that are longer are left out: no sample of a server is. */
const LINE_MAX = 64 * 1024;
/** Samples that are kept of a page. */
const SAMPLES_MAX = 500_000;

/** Metrics by name. Names of absent metrics give no samples. */
export class Metrics {
  private readonly samples = new Map<string, Sample[]>();
  private count = 0;

  /** @param isWanted whether the samples of a name are kept */
  constructor(private readonly isWanted: (name: string) => boolean = () => true) {}

  /** Reads lines of a page. Lines that are no samples are left out. @throws Error for too many samples */
  add(lines: Iterable<string>): this {
    for (const line of lines) {
      if (line === "" || line.startsWith("#") || line.length > LINE_MAX) continue;
      const end = /[{ ]/.exec(line)?.index ?? line.length;
      const name = line.slice(0, end);
      if (!this.isWanted(name)) continue;
      const sample = sampleIn(line.slice(end));
      if (sample === undefined) continue;
      if (this.count >= SAMPLES_MAX) throw new Error(`The metrics have more than ${SAMPLES_MAX} samples.`);
      this.count += 1;
      const known = this.samples.get(name);
      if (known === undefined) this.samples.set(name, [sample]);
      else known.push(sample);
    }
    return this;
  }

  of(name: string): readonly Sample[] {
    return this.samples.get(name) ?? [];
  }

  /** Returns the samples of the first name that has any: names differ by release. */
  firstOf(...names: readonly string[]): readonly Sample[] {
    return names.map((name) => this.of(name)).find((samples) => samples.length > 0) ?? [];
  }

  /** Returns the sum of all samples of the first name that has any. @returns undefined without samples */
  total(...names: readonly string[]): number | undefined {
    const samples = this.firstOf(...names);
    return samples.length === 0 ? undefined : samples.reduce((sum, { value }) => sum + value, 0);
  }

  /** Returns the sums of the samples by the value of a label. */
  sumsBy(label: string, ...names: readonly string[]): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.firstOf(...names)) {
      const key = labels[label] ?? "";
      sums.set(key, (sums.get(key) ?? 0) + value);
    }
    return sums;
  }

  /** Forgets the samples of a name, which may be many. */
  forget(name: string): void {
    this.count -= this.of(name).length;
    this.samples.delete(name);
  }
}

const LABEL = /(\w+)="([^"\\]*(?:\\.[^"\\]*)*)",?/y;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", "\\": "\\", '"': '"' };

function sampleIn(rest: string): Sample | undefined {
  const labels: Record<string, string> = {};
  let at = 0;
  if (rest.startsWith("{")) {
    at = 1;
    LABEL.lastIndex = at;
    for (let found = LABEL.exec(rest); found !== null; found = LABEL.exec(rest)) {
      const [, name = "", text = ""] = found;
      labels[name] = text.replace(/\\(.)/g, (_, character: string) => ESCAPED[character] ?? character);
      at = LABEL.lastIndex;
    }
    if (rest[at] !== "}") return undefined;
    at += 1;
  }
  const [value = ""] = rest.slice(at).trim().split(" ", 1);
  return value === "" ? undefined : { labels, value: numberIn(value) };
}

function numberIn(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  return text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
}
