/** One entry of a thread. All that a contact wrote becomes text nodes only. */
import type { Message } from '../../../../shared/api/message.ts';
import { located } from '../base/call.ts';
import { dayOf, fullTimeOf, sizeOf, timeOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { discard, type Pending, sendAgain } from './pending.ts';

const { thread } = TEXT;
/** Types that a page shows; any other file is a link that saves it. */
const IMAGE = /^image\/(jpeg|png|gif|webp)$/;
const AUDIO = /^audio\//;
const VIDEO = /^video\//;

interface EntryProps {
  readonly message: Message;
  /** The day that begins with this entry. */
  readonly newDay: boolean;
}

export function Entry({ message, newDay }: EntryProps) {
  const { direction, kind, text, media, status, deletedAt, referral } = message;
  const failed = status === 'failed' && direction === 'out';
  return (
    <div class="entry">
      {newDay ? <h3 class="day">{dayOf(message.createdAt)}</h3> : null}
      <article class={`bubble ${direction} ${failed ? 'failed' : ''}`}>
        <p class={direction === 'in' ? 'spoken' : 'small soft'}>{authorOf(message)}</p>
        {referral === undefined ? null : (
          <p class="small soft">
            {thread.referral}: {referral}
          </p>
        )}
        {deletedAt === undefined ? null : <p class="soft">{thread.deleted}</p>}
        {media ? <Media media={media} /> : null}
        {text === null && !media && kind !== 'text' ? <p>{thread.kinds[kind]}</p> : null}
        {text === null ? null : <p class="bubble-text">{text}</p>}
        {message.transcript === null ? null : (
          <p class="bubble-text soft">
            {thread.transcript}: {message.transcript}
          </p>
        )}
        {failed && message.error ? <p class="reason">{message.error.message}</p> : null}
        <p class="bubble-end soft">
          <time dateTime={message.createdAt} title={fullTimeOf(message.createdAt)}>
            {timeOf(message.createdAt)}
          </time>
          {message.editedAt === undefined ? null : <span>{thread.edited}</span>}
          {direction === 'out' ? (
            <span title={receiptsOf(message)}>{thread.states[status]}</span>
          ) : null}
        </p>
      </article>
    </div>
  );
}

function authorOf({ direction, author }: Message): string {
  const { kind, label } = author;
  if (direction === 'note') return `${thread.note} · ${label}`;
  return kind === 'automation' ? `${label} · ${thread.automation}` : label;
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

function Media({ media }: { readonly media: NonNullable<Message['media']> }) {
  const { mimeType, fileName, sizeBytes, url } = media;
  if (url === null) return <p class="soft">{thread.pendingMedia}</p>;
  // The server's own path only: its public address may be another origin.
  const source = located(`/api/v1/media/${encodeURIComponent(media.id)}`);
  const name = fileName ?? thread.file;
  if (IMAGE.test(mimeType)) {
    return (
      <a href={source} target="_blank" rel="noopener noreferrer">
        <img src={source} alt={thread.image(name)} loading="lazy" />
      </a>
    );
  }
  if (AUDIO.test(mimeType)) {
    // biome-ignore lint/a11y/useMediaCaption: a contact's recording has none
    return <audio src={source} controls preload="none" aria-label={thread.audio} />;
  }
  if (VIDEO.test(mimeType)) {
    // biome-ignore lint/a11y/useMediaCaption: a contact's recording has none
    return <video src={source} controls preload="none" aria-label={thread.video} />;
  }
  return (
    <a class="button" href={source} download={fileName ?? ''}>
      <span class="cut">{name}</span>
      {sizeBytes === null ? null : <span class="soft small">{sizeOf(sizeBytes)}</span>}
    </a>
  );
}

/** A message of this page that is still on its way. */
export function PendingEntry({ given }: { readonly given: Pending }) {
  const { note, text, file, refused, messageId } = given;
  const state = messageId === null ? thread.states.sending : thread.states.queued;
  return (
    <div class="entry">
      <article class={`bubble ${note ? 'note' : 'out'} ${refused ? 'failed' : ''}`}>
        {note ? <p class="small soft">{thread.note}</p> : null}
        {file ? <p>{file.name}</p> : null}
        {text === '' ? null : <p class="bubble-text">{text}</p>}
        <p class="bubble-end soft">
          <time dateTime={given.at}>{timeOf(given.at)}</time>
          <span>{refused ? thread.states.refused : state}</span>
        </p>
        {refused ? (
          <div class="alert" role="alert">
            <p>{refused.sentence}</p>
            <div class="row">
              <button type="button" class="button small" onClick={() => sendAgain(given)}>
                {TEXT.again}
              </button>
              <button type="button" class="button small" onClick={() => discard(given.key)}>
                {TEXT.discard}
              </button>
            </div>
          </div>
        ) : null}
      </article>
    </div>
  );
}
