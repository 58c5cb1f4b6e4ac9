/** Open sessions of the members; an ended one is refused at its next call. */

import { useId, useRef } from 'preact/hooks';
import type { SessionRow } from '../../../../shared/wire/session-commands.ts';
import { Isolated } from '../base/isolated.tsx';
import { Alert } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import { useFocusSuccessor } from '../base/use-focus-successor.ts';
import { useRead } from '../base/use-read.ts';
import type { Data } from '../conversations/state/api.ts';
import { fullTimeOf, whenInSentence } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { session } from '../session.ts';

const { team } = TEXT;

export function Sessions() {
  const read = useRead<Data<readonly SessionRow[]>>('/panel/api/sessions', {
    kinds: ['organization'],
  });
  const rows = read.body?.data.toSorted((a, b) => (a.seenAt < b.seenAt ? 1 : -1)) ?? [];
  return (
    <section class="block">
      <h2>{team.sessions}</h2>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <p class="soft">{team.noSessions}</p> : null}
      <ul class="lines" aria-label={team.sessions}>
        {rows.map((row) => (
          <SessionLine key={row.id} row={row} />
        ))}
      </ul>
    </section>
  );
}

function SessionLine({ row }: { readonly row: SessionRow }) {
  const { id, memberName, way, address, seenAt, expiresAt } = row;
  const { busy, refused, make } = useChange('organization');
  const name = useId();
  const item = useRef<HTMLLIElement>(null);
  useFocusSuccessor(item, 'section');
  return (
    <li ref={item}>
      <div class="grow">
        <p>
          <span class="strong" id={name}>
            <Isolated text={memberName} />
          </span>{' '}
          {session.value?.id === id ? <span class="tag">{team.own}</span> : null}
        </p>
        <p class="soft small">
          {team.ways[way]} {team.from(address)} · {team.seen(whenInSentence(seenAt))} ·{' '}
          {team.until(fullTimeOf(expiresAt))}
        </p>
      </div>
      <button
        type="button"
        class="button"
        aria-disabled={busy}
        aria-describedby={name}
        onClick={() => void make(`/panel/api/sessions/${encodeURIComponent(id)}/end`)}
      >
        {team.endSession}
      </button>
      <Alert refused={refused} />
    </li>
  );
}
