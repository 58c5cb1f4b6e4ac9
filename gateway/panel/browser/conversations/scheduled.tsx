/** Scheduled messages of the conversation; each member who writes may cancel them. */
import type { Message } from '../../../../shared/api/message.ts';
import { query } from '../base/call.ts';
import { isolated } from '../base/isolated.tsx';
import { Alert } from '../base/parts.tsx';
import { useChange } from '../base/use-change.ts';
import { useRead } from '../base/use-read.ts';
import { fullTimeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import type { Page } from './state/api.ts';

const SHOWN_MAX = 50;
const { schedule } = TEXT;

export function Scheduled({ conversationId }: { readonly conversationId: string }) {
  const entries = { conversationId, status: 'scheduled', limit: SHOWN_MAX };
  const path = `/api/v1/messages${query(entries)}`;
  const interest = { kinds: ['conversation'], id: conversationId } as const;
  const { body } = useRead<Page<Message>>(path, interest);
  const { busy, refused, make } = useChange('conversation', conversationId);
  const messages = body?.data ?? [];
  if (messages.length === 0 && refused === null) return null;
  const cancel = (id: string) => void make(`/api/v1/messages/${encodeURIComponent(id)}/cancel`);
  return (
    <section class="scheduled" aria-label={schedule.list}>
      <p class="small soft">{schedule.counted(body?.total ?? messages.length)}</p>
      <ul class="scheduled-list">
        {messages.map(({ id, text, kind, scheduledAt }) => (
          <li key={id} class="row scheduled-row">
            <span class="cut">
              {isolated(text ?? TEXT.thread.kinds[kind])}
              {scheduledAt === undefined ? null : (
                <time class="small soft" dateTime={scheduledAt}>
                  {` ${schedule.at(fullTimeOf(scheduledAt))}`}
                </time>
              )}
            </span>
            {mayWrite() ? (
              <button
                type="button"
                class="button small"
                aria-disabled={busy}
                onClick={() => cancel(id)}
              >
                {schedule.cancel}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      <Alert refused={refused} />
    </section>
  );
}
