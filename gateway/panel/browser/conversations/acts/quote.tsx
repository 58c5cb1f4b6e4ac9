/** What a message quotes: its author and first line, as text. */
import { useEffect } from 'preact/hooks';
import type { Message } from '../../../../../shared/api/message.ts';
import { Isolated, isolated } from '../../base/isolated.tsx';
import { TEXT } from '../../sentences.ts';
import type { Around } from '../state/around.ts';
import { cancelReply, quotedIn } from '../state/replying.ts';

const { acts, thread } = TEXT;
const LINE_MAX_CHARS = 200;

export function lineOf({ text, kind, deletedAt }: Message): string {
  if (deletedAt !== undefined) return thread.deleted;
  const [first = ''] = (text ?? '').trim().split('\n');
  return first === '' ? thread.kinds[kind] : [...first].slice(0, LINE_MAX_CHARS).join('');
}

function Lines({ message }: { readonly message: Message }) {
  return (
    <>
      <span class="line cut strong">
        <Isolated text={message.author.label} />
      </span>
      <span class="line cut">
        <Isolated text={lineOf(message)} />
      </span>
    </>
  );
}

interface QuoteProps {
  readonly id: string;
  readonly around: Around;
}

/** A press leads to the quoted message. */
export function Quote({ id, around }: QuoteProps) {
  const message = around.find(id);
  useEffect(() => {
    if (message === undefined) around.want(id);
  }, [id, message]);
  return (
    <blockquote class="quote">
      <button type="button" class="quote-link" onClick={() => around.lead(id)}>
        {message ? <Lines message={message} /> : acts.quoted}
      </button>
    </blockquote>
  );
}

/** The composer's: what the next message quotes. */
export function Replying({ conversationId }: { readonly conversationId: string }) {
  const message = quotedIn(conversationId);
  if (message === null) return null;
  return (
    <div class="replying">
      <blockquote class="quote grow" aria-label={acts.replyingTo(isolated(message.author.label))}>
        <Lines message={message} />
      </blockquote>
      <button
        type="button"
        class="button small quiet"
        aria-label={acts.cancelReply}
        title={acts.cancelReply}
        onClick={() => {
          cancelReply();
          document.querySelector<HTMLElement>('[data-composer]')?.focus();
        }}
      >
        ×
      </button>
    </div>
  );
}
