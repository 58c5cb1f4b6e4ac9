/**
 * Files of a message: its own, that of its template's header, and that of its fallback's. Each is
 * fetched before the message is accepted; a refused download sends nothing.
 */
import { MEDIA_ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Address } from '../../shared/ports/bus.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { SendMessage } from '../../shared/wire/commands.ts';
import type { CheckSend, FetchMedia, FromUrl } from '../../shared/wire/media-commands.ts';
import { type Plan, type Sequence, sequence } from '../route.ts';

/** One of both names the file. */
export interface NamedFile {
  readonly mediaUrl?: string | undefined;
  readonly mediaId?: string | undefined;
}

export interface WantedFile {
  readonly part: 'attached' | 'fallbackAttached';
  readonly file: NamedFile;
  /** Path of the object with the file's fields, with its last dot. */
  readonly under: '' | 'template.header.' | 'fallbackTemplate.header.';
  readonly captionedBy: FetchMedia['captionedBy'];
}

/** The field of the object that names a file, if any. */
export function fileField({ mediaUrl, mediaId }: NamedFile): 'mediaUrl' | 'mediaId' | undefined {
  if (mediaUrl !== undefined) return 'mediaUrl';
  return mediaId === undefined ? undefined : 'mediaId';
}

interface Wanted {
  readonly files: readonly WantedFile[];
  readonly command: SendMessage;
  readonly address: Address<'conversation'>;
}

/** The send, after the fetches of its files. */
export function afterFetching(ids: Ids, { files, command, address }: Wanted): Plan | Sequence {
  // All ids are made before the first ask: a repeated call makes the same.
  const fetches = files.map((wanted) => ({
    part: wanted.part,
    fetch: fetchOf(ids, wanted, { command, address }),
  }));
  const next = (at: number, sent: SendMessage): Plan | Sequence => {
    const wanted = fetches[at];
    if (!wanted) return { to: 'actor', address, command: sent };
    const to = { kind: 'channel', key: command.channelId } as const;
    return sequence(
      { to: 'actor', address: to, command: wanted.fetch, withinMs: MEDIA_ASK_DEADLINE_MS },
      (reply) => {
        if (reply.status !== 200) return reply;
        return next(at + 1, { ...sent, [wanted.part]: bodyOf(reply) });
      },
    );
  };
  return next(0, command);
}

function fetchOf(
  ids: Ids,
  { file: { mediaUrl, mediaId: fileId }, under, captionedBy }: WantedFile,
  { command, address }: Pick<Wanted, 'command' | 'address'>,
): FetchMedia {
  const named = { id: ids.fresh('cmd'), mediaId: ids.fresh('med') };
  const { id: messageId, orgId } = command;
  const from =
    mediaUrl === undefined
      ? { fileId: fileId ?? '', messageId }
      : {
          url: mediaUrl,
          path: `${under}mediaUrl`,
          messageId,
          target: targetOf(ids, command, address),
        };
  return { ...named, type: 'fetch-media', orgId, from, captionedBy };
}

/** The question to the conversation's owner, asked before the download. */
function targetOf(
  ids: Ids,
  command: SendMessage,
  { key: conversationId }: Address<'conversation'>,
): FromUrl['target'] {
  const { text: _, attached: _own, fallbackAttached: _other, ...asked } = command;
  const { authorLabel: _label, origin: _origin, ...target } = asked;
  const { content, replyToId, outsideWindow, fallbackTemplate, schedule } = target;
  const conditions = [content, replyToId, outsideWindow, fallbackTemplate, schedule];
  // No owner refuses a file to a phone.
  if (!command.byConversation && conditions.every((each) => each === undefined)) return null;
  const named = { id: ids.fresh('cmd'), messageId: command.id, type: 'check-send' } as const;
  const check: CheckSend = { ...target, ...named };
  return { conversationId, check };
}
