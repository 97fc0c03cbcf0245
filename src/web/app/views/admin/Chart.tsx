import { useTexts } from '../useApp.ts';

/** A line of a chart, a number for each moment. */
export interface Line {
  id: string;
  points: readonly { at: number; value: number }[];
}

interface Props {
  title: string;
  lines: readonly Line[];
  /** The moment at the right edge, and how much time is shown, in ms. */
  until: number;
  lasting: number;
  format(value: number): string;
}

const [width, height] = [300, 72];
/** A node that was silent for longer has a gap in its line. */
const gapMs = 20_000;

/** A small chart of the last minutes. What is drawn is also said in words. */
export function Chart({ title, lines, until, lasting, format }: Props) {
  const { t } = useTexts();
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const highest = Math.max(0, ...values);
  const latest = lines.flatMap(({ points }) => points.at(-1)?.value ?? []);
  const now = latest.length > 0 ? latest.map(format).join(' · ') : '–';
  const x = (at: number) => width - ((until - at) / lasting) * width;
  const y = (value: number) => height - 2 - (highest === 0 ? 0 : (value / highest) * (height - 6));
  const words = t('now {now}, at most {most}', { now, most: format(highest) });
  return (
    <figure class="chart">
      <figcaption>
        <b>{title}</b> <span class="faint">{words}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${words}`}>
        {lines.map(({ id, points }, index) => (
          <path key={id} class={`line${index % 6}`} d={pathOf(points, x, y)} />
        ))}
      </svg>
    </figure>
  );
}

function pathOf(points: Line['points'], x: (at: number) => number, y: (value: number) => number): string {
  return points
    .map(({ at, value }, index) => {
      const before = points[index - 1];
      const isApart = !before || at - before.at > gapMs;
      return `${isApart ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
}
