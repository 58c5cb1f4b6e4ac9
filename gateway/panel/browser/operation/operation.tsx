/** Screen "Operação": the installation, for its operator. */
import { useEffect } from 'preact/hooks';
import { Alert, Empty } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { every, now } from '../clock.ts';
import type { Data } from '../conversations/state/api.ts';
import { TEXT } from '../sentences.ts';
import type { OperationState, RateList, RatePoint } from './api.ts';
import { Plot, type Sample } from './plot.tsx';
import { PartitionMap, Processes } from './processes.tsx';
import { Agendas, Breakers, Doctor } from './waiting.tsx';

const READ_EVERY_MS = 10_000;
/** The first call begins the samples. */
const FIRST_SAMPLE_MS = 2_000;
const { operation } = TEXT;
/** No hint tells of the installation: the screen reads again by its clock. */
const NO_HINTS = { kinds: [] } as const;

export function Operation() {
  const state = useRead<Data<OperationState>>('/panel/api/operation', NO_HINTS);
  const rates = useRead<Data<RateList>>('/panel/api/operation/rates', NO_HINTS);
  useEffect(
    () =>
      every(READ_EVERY_MS, () => {
        state.again();
        rates.again();
      }),
    [],
  );
  const unsampled = rates.body?.data.points.length === 0;
  useEffect(() => (unsampled ? every(FIRST_SAMPLE_MS, rates.again) : undefined), [unsampled]);
  const shown = state.body?.data;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{operation.title}</h1>
      </header>
      <Alert refused={state.refused ?? rates.refused} onAgain={state.again} />
      {shown || state.refused ? null : <p class="empty">{TEXT.loading}</p>}
      <Rates list={rates.body?.data ?? null} />
      {shown ? (
        <>
          <Doctor rows={shown.doctor} />
          <Agendas rows={shown.agendas} />
          <Breakers rows={shown.breakers} />
          <Processes rows={shown.processes} others={shown.others} />
          <PartitionMap processes={shown.processes} />
        </>
      ) : null}
    </div>
  );
}

type Measure = keyof Omit<RatePoint, 'at'>;

const PLOTS: readonly {
  readonly title: string;
  readonly unit: string;
  readonly measures: readonly Measure[];
}[] = [
  { title: operation.messages, unit: '/s', measures: ['accepted', 'sent', 'delivered'] },
  { title: operation.refusals, unit: '/s', measures: ['refused'] },
  { title: operation.latency, unit: 'ms', measures: ['p50', 'p99'] },
  { title: operation.backlog, unit: '', measures: ['backlog'] },
  { title: operation.oldestDue, unit: 'ms', measures: ['oldestDueMs'] },
];

function Rates({ list }: { readonly list: RateList | null }) {
  const points = list?.points ?? [];
  const samplesOf = (measure: Measure): readonly Sample[] =>
    points.map((point) => ({ at: Date.parse(point.at), value: point[measure] }));
  const until = now();
  return (
    <section class="block">
      <h2>{operation.lastHour}</h2>
      {list && points.length === 0 ? (
        <Empty title={operation.noRates} text={operation.noRatesText} />
      ) : null}
      {points.length === 0 ? null : (
        <div class="plots">
          {PLOTS.map(({ title, unit, measures }) => (
            <Plot
              key={title}
              title={title}
              unit={unit}
              until={until}
              series={measures.map((measure) => ({
                name: operation.measures[measure],
                samples: samplesOf(measure),
              }))}
            />
          ))}
        </div>
      )}
    </section>
  );
}
