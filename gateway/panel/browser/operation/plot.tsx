/** Plot of one or more series over the last hour. A gap in the samples is a gap in the line. */
import { TEXT } from '../sentences.ts';

const { operation } = TEXT;
const WIDTH = 320;
const HEIGHT = 96;
const LEFT = 40;
const BOTTOM = 16;
const TOP = 6;
const HOUR_MS = 60 * 60 * 1000;
/** Two samples further apart are not joined. */
const JOINED_MS = 3 * 60 * 1000;

export interface Sample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly value: number | null;
}

export interface Series {
  readonly name: string;
  readonly samples: readonly Sample[];
}

interface PlotProps {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  /** Right edge, epoch milliseconds. */
  readonly until: number;
}

export function Plot({ title, unit, series, until }: PlotProps) {
  const top = topOf(series);
  const words = series.map((each) => inWords(each, unit)).join('; ');
  return (
    <figure class="plot">
      <figcaption>
        <span class="strong">{title}</span>{' '}
        <span class="soft small">
          {series.map(({ name, samples }, index) => (
            <span key={name} class={`plot-name series-${index}`}>
              {name} {valueText(samples.at(-1)?.value ?? null, unit)}
            </span>
          ))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${words}`}>
        <Axes top={top} unit={unit} />
        {series.map(({ name, samples }, index) => (
          <path
            key={name}
            class={`plot-line series-${index}`}
            d={pathOf(samples, { top, until })}
          />
        ))}
      </svg>
    </figure>
  );
}

function Axes({ top, unit }: { readonly top: number; readonly unit: string }) {
  const bottom = HEIGHT - BOTTOM;
  return (
    <g>
      <path class="plot-axis" d={`M${LEFT} ${TOP}V${bottom}H${WIDTH}`} />
      <text class="plot-text" x={LEFT - 4} y={TOP + 6} text-anchor="end">
        {valueText(top, unit)}
      </text>
      <text class="plot-text" x={LEFT - 4} y={bottom} text-anchor="end">
        0
      </text>
      <text class="plot-text" x={LEFT} y={HEIGHT - 4}>
        {operation.hourAgo}
      </text>
      <text class="plot-text" x={WIDTH} y={HEIGHT - 4} text-anchor="end">
        {operation.now}
      </text>
    </g>
  );
}

/** A round number that no sample exceeds. */
function topOf(series: readonly Series[]): number {
  const values = series.flatMap(({ samples }) => samples.map(({ value }) => value ?? 0));
  const most = Math.max(1, ...values);
  const step = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((each) => each * step).find((each) => each >= most) ?? most;
}

interface Scale {
  readonly top: number;
  readonly until: number;
}

function pathOf(samples: readonly Sample[], { top, until }: Scale): string {
  const high = HEIGHT - BOTTOM - TOP;
  let last: number | null = null;
  const parts: string[] = [];
  for (const { at, value } of samples) {
    if (value === null) continue;
    const x = LEFT + (WIDTH - LEFT) * (1 - (until - at) / HOUR_MS);
    if (x < LEFT) continue;
    const y = TOP + high * (1 - value / top);
    const joins = last !== null && at - last <= JOINED_MS;
    parts.push(`${joins ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${joins ? '' : 'h1'}`);
    last = at;
  }
  return parts.join('');
}

function valueText(value: number | null, unit: string): string {
  if (value === null) return '–';
  const text = value.toLocaleString('pt-BR', { maximumFractionDigits: value < 10 ? 1 : 0 });
  return unit === '' ? text : `${text} ${unit}`;
}

function inWords({ name, samples }: Series, unit: string): string {
  const last = samples.at(-1)?.value ?? null;
  const most = Math.max(0, ...samples.map(({ value }) => value ?? 0));
  return operation.plotted(name, valueText(last, unit), valueText(most, unit));
}
