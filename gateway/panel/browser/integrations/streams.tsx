/** Event streams: who reads by a connection, whether it is there, and what waits for it. */
import { useEffect } from 'preact/hooks';
import type { StreamRow } from '../../../../shared/provisioning/commands.ts';
import type { StreamState } from '../../../../shared/wire/stream-commands.ts';
import { isolated } from '../base/isolated.tsx';
import { Alert } from '../base/parts.tsx';
import { useRead } from '../base/use-read.ts';
import { every } from '../clock.ts';
import type { Data } from '../conversations/state/api.ts';
import { whenOf } from '../format.ts';
import { TEXT } from '../sentences.ts';

/** No hint tells of a connection or of an acknowledgement. */
const READ_EVERY_MS = 3_000;
const { integrations } = TEXT;

interface StreamsProps {
  /** Null before the first read. */
  readonly rows: readonly StreamRow[] | null;
}

export function Streams({ rows }: StreamsProps) {
  return (
    <section class="block">
      <h2>{integrations.streams}</h2>
      <p class="soft small">{integrations.streamsLead}</p>
      {rows?.length === 0 ? <p class="soft">{integrations.noStreams}</p> : null}
      <ul class="lines" aria-label={integrations.streams}>
        {(rows ?? []).map((row) => (
          <StreamLine key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function StreamLine({ row }: { readonly row: StreamRow }) {
  const { id, name, keyName, events, seenAt } = row;
  const path = `/panel/api/streams/${encodeURIComponent(id)}`;
  const read = useRead<Data<StreamState>>(path, { kinds: ['organization', 'event'] });
  useEffect(() => every(READ_EVERY_MS, read.again), [read.again]);
  const state = read.body?.data;
  return (
    <li>
      <div class="grow">
        <p class="anywhere">
          <span class="strong">{name}</span>{' '}
          <span class="soft small">{isolated(integrations.ofKey(keyName))}</span>
        </p>
        <p class="soft small">
          {state ? (
            <span class={state.isConnected ? 'tag state-good' : 'tag state-waits'}>
              {state.isConnected ? integrations.connected : integrations.unconnected}
            </span>
          ) : null}{' '}
          {events.map((event) => (event === '*' ? integrations.everyEvent : event)).join(', ')}
        </p>
        <p class="soft small">
          {state ? integrations.waiting(state.waiting, state.unacknowledged) : null}{' '}
          {state?.isConnected === false ? (
            <>
              {integrations.lastConnection} <time dateTime={seenAt}>{whenOf(seenAt)}</time>
            </>
          ) : null}
        </p>
      </div>
      <Alert refused={read.refused} onAgain={read.again} />
    </li>
  );
}
