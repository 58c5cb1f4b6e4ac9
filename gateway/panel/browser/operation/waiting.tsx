/** Sections of what waits or fails: the doctor's rows, agendas, breakers. */

import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { isolated } from '../base/isolated.tsx';
import { fullTimeOf, leftOf, whenInSentence } from '../format.ts';
import { CHECK_NAMES, FINDINGS } from '../sentences/doctor.ts';
import { sentenceOf } from '../sentences/sentence-of.ts';
import { TEXT } from '../sentences.ts';
import type { Breaker, OperationState } from './api.ts';

const { operation } = TEXT;

export function Doctor({ rows }: { readonly rows: readonly DoctorRow[] }) {
  return (
    <section class="block">
      <h2>{operation.doctor}</h2>
      <ul class="lines" aria-label={operation.doctor}>
        {rows.map(({ name, ok, detail, remedy }) => (
          <li key={name}>
            <span class={ok ? 'tag state-good' : 'tag state-bad'}>
              {ok ? operation.good : operation.bad}
            </span>
            <div class="grow">
              <p class="strong">{CHECK_NAMES[name] ?? name}</p>
              <p class="soft small anywhere">
                <Findings findings={detail} />
              </p>
              {remedy === null ? null : (
                <p class="small">
                  <Findings findings={[remedy]} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Words of another program are marked as English. */
function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const text = findings.map((finding) => sentenceOf(FINDINGS, finding)).join('; ');
  return findings.some(({ code }) => code === 'foreign') ? (
    <span lang="en">{text}</span>
  ) : (
    <span>{text}</span>
  );
}

export function Agendas({ rows }: { readonly rows: OperationState['agendas'] }) {
  return (
    <section class="block">
      <h2>{operation.agendas}</h2>
      <dl class="facts">
        {rows.map(({ agenda, oldestDueMs }) => (
          <Agenda key={agenda} agenda={agenda} oldestDueMs={oldestDueMs} />
        ))}
      </dl>
    </section>
  );
}

function Agenda({ agenda, oldestDueMs }: OperationState['agendas'][number]) {
  return (
    <>
      <dt>{operation.agendaNames[agenda] ?? agenda}</dt>
      <dd>{oldestDueMs === 0 ? operation.nothingDue : operation.oldest(ageOf(oldestDueMs))}</dd>
    </>
  );
}

const MINUTE_MS = 60_000;

function ageOf(ms: number): string {
  return ms < MINUTE_MS ? `${Math.ceil(ms / 1000)} s` : leftOf(ms);
}

export function Breakers({ rows }: { readonly rows: readonly Breaker[] }) {
  return (
    <section class="block">
      <h2>{operation.breakers}</h2>
      {rows.length === 0 ? <p class="soft">{operation.noBreakers}</p> : null}
      <ul class="lines" aria-label={operation.breakers}>
        {rows.map(({ subscriptionId, organization, url, openSince, probeAt }) => (
          <li key={subscriptionId}>
            <div class="grow">
              <p class="strong anywhere">{url ?? subscriptionId}</p>
              <p class="soft small">
                {isolated(organization?.name ?? '')} ·{' '}
                {openSince === null
                  ? operation.recovering
                  : operation.openSince(fullTimeOf(openSince))}
                {probeAt === null ? '' : ` · ${operation.probeAt(whenInSentence(probeAt))}`}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
