/** The organization's events while they happen, as its subscriptions get them. */
import { useId, useRef, useState } from 'preact/hooks';
import { CONTRACT_EVENTS, EXTENSION_EVENTS } from '../../../../shared/events.ts';
import type { RecentEvent, RecentEventList } from '../../../../shared/wire/recent-events.ts';
import { call, query } from '../base/call.ts';
import { CopyBlock } from '../base/copy.tsx';
import { isolated } from '../base/isolated.tsx';
import { Alert, Link, Select } from '../base/parts.tsx';
import { type Read, useReadBy } from '../base/use-read.ts';
import { clockOf, phoneOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { shownOf, subjectOf, withFresh } from './recent.ts';

const PATH = '/panel/api/recent-events';
const { integrations } = TEXT;
const TYPES = [...CONTRACT_EVENTS, ...EXTENSION_EVENTS];

interface Held {
  readonly cursor: string | undefined;
  readonly events: readonly RecentEvent[];
}

/** Each read asks only for what came after the one before. */
function useRecentEvents(): Read<readonly RecentEvent[]> {
  const held = useRef<Held>({ cursor: undefined, events: [] });
  return useReadBy<readonly RecentEvent[]>(PATH, { kinds: ['event'] }, async () => {
    const { cursor, events } = held.current;
    const outcome = await call<RecentEventList>('GET', PATH + query({ cursor }));
    if (!outcome.ok) return outcome;
    const { body } = outcome;
    held.current = { cursor: body.cursor, events: withFresh(events, body.data) };
    return { ok: true, body: held.current.events };
  });
}

export function LiveEvents() {
  const read = useRecentEvents();
  const [type, setType] = useState('');
  const [paused, setPaused] = useState<readonly RecentEvent[] | null>(null);
  const events = read.body ?? [];
  const rows = shownOf(paused ?? events, type);
  const newest = paused?.[0]?.id;
  const place = events.findIndex(({ id }) => id === newest);
  const missed =
    paused === null ? 0 : shownOf(events.slice(0, place === -1 ? undefined : place), type).length;
  return (
    <section class="block">
      <header class="row">
        <h2 class="grow">{integrations.live}</h2>
        <Select
          quiet
          label={integrations.eventType}
          value={type}
          onValue={setType}
          options={[['', integrations.everyType], ...TYPES.map((each) => [each, each] as const)]}
        />
        <button
          type="button"
          class="button"
          onClick={() => setPaused(paused === null ? events : null)}
        >
          {paused === null ? integrations.pause : integrations.resume}
        </button>
      </header>
      <p class="soft small">{integrations.liveLead}</p>
      <p role="status" class={paused === null ? 'spoken' : 'notice'}>
        {paused === null ? '' : integrations.pausedWith(missed)}
      </p>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? (
        <p class="soft">{type === '' ? integrations.noEvents : integrations.noEventsOfType}</p>
      ) : null}
      <ul class="lines" aria-label={integrations.live}>
        {rows.map((row) => (
          <EventLine key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function EventLine({ row }: { readonly row: RecentEvent }) {
  const { at, event, data } = row;
  const [open, setOpen] = useState(false);
  const id = useId();
  const { name, phone, to } = subjectOf(row);
  const known = [name, phoneOf(phone)].filter((each) => each !== '').map(isolated);
  return (
    <li>
      <div class="grow">
        <p id={id}>
          <span class="strong">{event}</span>{' '}
          <time class="soft small" dateTime={at}>
            {clockOf(at)}
          </time>
        </p>
        <p class="small cut">
          <Link to={to}>{known.length === 0 ? integrations.subject : known.join(' · ')}</Link>
        </p>
      </div>
      <button
        type="button"
        class="button"
        aria-expanded={open}
        aria-describedby={id}
        onClick={() => setOpen(!open)}
      >
        {integrations.details}
      </button>
      {open ? (
        <div class="block details">
          <CopyBlock label={integrations.body} text={JSON.stringify({ event, data }, null, 2)} />
        </div>
      ) : null}
    </li>
  );
}
