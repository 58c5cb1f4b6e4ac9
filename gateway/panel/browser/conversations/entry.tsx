/** One entry of a thread. All that a contact wrote becomes text nodes only. */

import type { Message } from '../../../../shared/api/message.ts';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Linked } from '../base/linked.tsx';
import { arrivalOf, fullTimeOf, namedDayOf, placeTimeOf, timeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { MessageMenu } from './acts/message-menu.tsx';
import { Quote } from './acts/quote.tsx';
import { ReactionLine, Reactions } from './acts/reactions.tsx';
import { Advertisement, Commerce } from './commerce.tsx';
import { Media } from './media.tsx';
import { MessageContent } from './message-content.tsx';
import { Resend } from './resend/resend.tsx';
import type { Around } from './state/around.ts';
import { discard, isHeld, sendAgain } from './state/pending.ts';
import type { Pending } from './state/pending-storage.ts';
import { isReaction } from './state/reactions.ts';

const { thread } = TEXT;

interface EntryProps {
  readonly message: Message;
  /** The day that begins with this entry. */
  readonly newDay: boolean;
  readonly around: Around;
}

export function Entry({ message, newDay, around }: EntryProps) {
  return (
    <div class="entry">
      {newDay ? <h3 class="day">{namedDayOf(placeTimeOf(message))}</h3> : null}
      {isReaction(message) ? (
        <ReactionLine message={message} around={around} />
      ) : (
        <Bubble message={message} around={around} />
      )}
    </div>
  );
}

function Bubble({ message, around }: Omit<EntryProps, 'newDay'>) {
  const { id, direction, kind, text, media, status, deletedAt, referral, ad } = message;
  const found = id === around.foundId;
  const quotedId = kind === 'reaction' ? null : message.replyToId;
  const failed = status === 'failed' && direction === 'out';
  const at = placeTimeOf(message);
  const arrival = arrivalOf(message);
  return (
    <article
      class={`bubble ${direction} ${failed ? 'failed' : ''} ${found ? 'found' : ''}`}
      data-message={id}
      tabIndex={-1}
    >
      <p class={direction === 'in' ? 'spoken' : 'small soft'}>{authorOf(message)}</p>
      {referral === undefined || ad !== undefined ? null : (
        <p class="small soft">
          {thread.referral}: <Isolated text={referral} />
        </p>
      )}
      {ad === undefined ? null : <Advertisement ad={ad} />}
      {quotedId === null ? null : <Quote id={quotedId} around={around} />}
      {deletedAt === undefined ? null : <p class="soft">{thread.deleted}</p>}
      {media ? <Media media={media} /> : null}
      {text === null && !media && kind !== 'text' ? <p>{thread.kinds[kind]}</p> : null}
      {text === null ? null : (
        <p class="bubble-text">
          <Linked text={text} />
        </p>
      )}
      <MessageContent message={message} />
      <Commerce message={message} />
      {message.transcript === null ? null : (
        <p class="bubble-text soft">
          {thread.transcript}:{' '}
          <bdi>
            <Linked text={message.transcript} />
          </bdi>
        </p>
      )}
      {message.error ? <p class="reason">{message.error.message}</p> : null}
      {failed ? <Resend message={message} around={around} /> : null}
      <div class="bubble-end soft">
        <Reactions shown={around.reactions.get(id)} />
        <time dateTime={at} title={fullTimeOf(at)}>
          {timeOf(at)}
        </time>
        {arrival === null ? null : <span>{thread.received(arrival)}</span>}
        {message.editedAt === undefined ? null : <span>{thread.edited}</span>}
        {direction === 'out' ? (
          <span title={receiptsOf(message)}>{thread.states[status]}</span>
        ) : null}
        <MessageMenu message={message} around={around} />
      </div>
    </article>
  );
}

function authorOf({ direction, author }: Message): string {
  const { kind, label } = author;
  if (direction === 'note') return `${thread.note} · ${isolated(label)}`;
  return kind === 'automation' ? `${isolated(label)} · ${thread.automation}` : isolated(label);
}

function receiptsOf({ receipts }: Message): string {
  const rows = [
    [thread.states.sent, receipts.sent],
    [thread.states.delivered, receipts.delivered],
    [thread.states.read, receipts.read],
  ] as const;
  return rows
    .flatMap(([name, at]) => (at === null ? [] : [`${name}: ${fullTimeOf(at)}`]))
    .join('\n');
}

function stateOf(given: Pending) {
  const { refused, messageId, unanswered } = given;
  if (refused) return refused.status === 0 ? 'unanswered' : 'refused';
  if (messageId !== null) return 'queued';
  if (isHeld(given)) return 'held';
  return unanswered ? 'repeated' : 'sending';
}

function Choices({ given }: { readonly given: Pending }) {
  return (
    <div class="row">
      {isHeld(given) ? null : (
        <button type="button" class="button small" onClick={() => sendAgain(given)}>
          {TEXT.again}
        </button>
      )}
      <button type="button" class="button small" onClick={() => discard(given)}>
        {TEXT.discard}
      </button>
    </div>
  );
}

interface PendingEntryProps {
  readonly given: Pending;
  readonly around: Around;
}

/** A message of this page that is still on its way. */
export function PendingEntry({ given, around }: PendingEntryProps) {
  const { note, text, file, refused, reaction, replyToId } = given;
  // It stands on its message, unless it was refused.
  if (reaction && !refused && !given.unanswered) return null;
  return (
    <div class="entry">
      <article class={`bubble ${note ? 'note' : 'out'} ${refused ? 'failed' : ''}`}>
        {note ? <p class="small soft">{thread.note}</p> : null}
        {reaction ? <p>{TEXT.acts.reacted(TEXT.acts.you, reaction.emoji)}</p> : null}
        {replyToId === undefined ? null : <Quote id={replyToId} around={around} />}
        {file ? (
          <p>
            <Isolated text={file.name} />
          </p>
        ) : null}
        {text === '' ? null : (
          <p class="bubble-text">
            <Linked text={text} />
          </p>
        )}
        <p class="bubble-end soft">
          <time dateTime={given.at}>{timeOf(given.at)}</time>
          <span>{thread.states[stateOf(given)]}</span>
        </p>
        {refused ? (
          <div class="alert" role="alert">
            <p>{refused.sentence}</p>
            <Choices given={given} />
          </div>
        ) : null}
        {given.unanswered || isHeld(given) ? <Choices given={given} /> : null}
      </article>
    </div>
  );
}
