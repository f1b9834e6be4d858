import { linePath, type Spot } from "./chart-line";

interface Props {
  readonly title: string;
  readonly spots: readonly Spot[];
  readonly textOf: (value: number) => string;
}

const EXTENT = { width: 300, height: 60 };
/** Room for the width of the line. */
const VIEW_BOX = `-2 -2 ${EXTENT.width + 4} ${EXTENT.height + 4}`;

/** A small chart of the last minutes, with its present, smallest and largest value in words. */
export function Chart({ title, spots, textOf }: Props) {
  const values = spots.flatMap(({ value }) => (value !== undefined && Number.isFinite(value) ? [value] : []));
  const now = spots.at(-1)?.value;
  const present = now === undefined ? "unknown" : textOf(now);
  const range =
    values.length === 0
      ? "no values yet"
      : `minimum ${textOf(Math.min(...values))}, maximum ${textOf(Math.max(...values))}`;
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg viewBox={VIEW_BOX} preserveAspectRatio="none" role="img" aria-label={`${title}: now ${present}, ${range}`}>
        <path d={linePath(spots, EXTENT)} />
      </svg>
      <p class="now">
        <strong>{present}</strong> <span class="quiet">{range}</span>
      </p>
    </figure>
  );
}
