/** One delivery: opened, it shows its body, attempts and answers, and a call that repeats it. */

import { useId, useState } from 'preact/hooks';
import { CopyBlock } from '../base/copy.tsx';
import { isolated } from '../base/isolated.tsx';
import { Alert } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import { useRead } from '../base/use-read.ts';
import type { Data } from '../conversations/state/api.ts';
import { fullTimeOf, whenOf } from '../format.ts';
import { deliveryCurl } from '../keys/curl.ts';
import { TEXT } from '../sentences.ts';
import type { Attempt, Delivery, Target, WholeDelivery } from './api.ts';

const { integrations } = TEXT;

const STATES = {
  pending: 'state-waits',
  succeeded: 'state-good',
  failed: 'state-bad',
  parked: 'state-waits',
} as const;

interface DeliveryLineProps {
  readonly row: Delivery;
  /** Null for one that was removed. */
  readonly target: Target | null;
  readonly onRetried: (count: number) => void;
}

export function DeliveryLine({ row, target, onRetried }: DeliveryLineProps) {
  const { id, event, status, createdAt } = row;
  const [open, setOpen] = useState(false);
  const { busy, refused, make } = useChange('organization');
  const name = useId();
  const retry = async () => {
    const body = { ids: [id] };
    const path = '/panel/api/deliveries/retry';
    const answer = await make<Data<{ readonly retried: number }>>(path, { body });
    if (answer) onRetried(answer.data.retried);
  };
  return (
    <li>
      <div class="grow">
        <p id={name}>
          <span class="strong">{event}</span>{' '}
          <span class={`tag ${STATES[status]}`}>{integrations.statuses[status]}</span>
        </p>
        <p class="soft small anywhere">
          <time dateTime={createdAt}>{whenOf(createdAt)}</time> · {isolated(target?.label ?? '')} ·{' '}
          {lastOf(row, target)}
        </p>
      </div>
      <button
        type="button"
        class="button"
        aria-expanded={open}
        aria-describedby={name}
        onClick={() => setOpen(!open)}
      >
        {integrations.details}
      </button>
      <button
        type="button"
        class="button"
        aria-disabled={busy}
        aria-describedby={name}
        onClick={() => void retry()}
      >
        {integrations.retry}
      </button>
      <Alert refused={refused} />
      {open ? <Details row={row} target={target} /> : null}
    </li>
  );
}

function lastOf({ attempts, status }: Delivery, target: Target | null): string {
  const last = attempts.at(-1);
  if (last) return resultOf(last);
  return target?.url === null ? integrations.readByStream[status] : integrations.noAttempts;
}

function resultOf({ status, ms, error }: Attempt): string {
  return status === null
    ? integrations.unanswered(isolated(error ?? ''), ms)
    : integrations.answered(status, ms);
}

type DetailsProps = Pick<DeliveryLineProps, 'row' | 'target'>;

function Details({ row, target }: DetailsProps) {
  const { id, attempts } = row;
  // A further attempt is another address: the delivery is read anew.
  const path = `/panel/api/deliveries/${encodeURIComponent(id)}?attempts=${attempts.length}`;
  const read = useRead<Data<WholeDelivery>>(path, { kinds: ['organization'] });
  const delivery = read.body?.data;
  if (!delivery) return <Alert refused={read.refused} onAgain={read.again} />;
  return (
    <div class="block details">
      {delivery.nextAttemptAt === null || target?.url === null ? null : (
        <p>{integrations.nextAttempt(fullTimeOf(delivery.nextAttemptAt))}</p>
      )}
      <h3>{integrations.attempts}</h3>
      {delivery.attempts.length === 0 ? <p class="soft">{lastOf(delivery, target)}</p> : null}
      <ol class="block">
        {delivery.attempts.map((attempt, index) => (
          <li key={attempt.at} class="block">
            <p>
              {integrations.attempt(index + 1)} <time>{fullTimeOf(attempt.at)}</time>:{' '}
              {resultOf(attempt)}
            </p>
            {attempt.response === undefined || attempt.response === '' ? null : (
              <CopyBlock label={integrations.response} text={attempt.response} />
            )}
          </li>
        ))}
      </ol>
      <CopyBlock label={integrations.body} text={shownBody(delivery.body)} />
      {target?.url ? (
        <CopyBlock label={integrations.curl} text={deliveryCurl(target.url, delivery)} />
      ) : null}
    </div>
  );
}

function shownBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
