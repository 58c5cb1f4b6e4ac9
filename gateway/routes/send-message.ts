/** POST /api/v1/messages: a text, a file, or content of another kind (C4.9). */
import type * as v from 'valibot';
import { SendMessageAnswer, SendMessageBody } from '../../shared/api/message.ts';
import type { TemplateBody } from '../../shared/api/message-content.ts';
import { SENTENCES } from '../../shared/api/sentences.ts';
import { contactId, conversationId, looksLikeId } from '../../shared/entity-ids.ts';
import { type Failure, failure, invalid } from '../../shared/failures.ts';
import { MEDIA_ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Address } from '../../shared/ports/bus.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import type { Provider } from '../../shared/vocabulary.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import type { AskedContent, AskedTemplate, SendMessage } from '../../shared/wire/commands.ts';
import type { CheckSend, FetchMedia, FromUrl } from '../../shared/wire/media-commands.ts';
import {
  apiRoute,
  channelInScope,
  originOf,
  type Plan,
  type Run,
  readinessRefusal,
} from '../route.ts';
import { CHANNEL_ID, CONVERSATION_ID, MESSAGE_ID } from './examples.ts';
import { MESSAGE_EXAMPLES, TEXT_EXAMPLE } from './message-examples.ts';
import { MESSAGE_FIELDS } from './message-fields.ts';
import { ONCE } from './sentences.ts';

type Body = v.InferOutput<typeof SendMessageBody>;

/** The mailbox a send goes to: the conversation named, or the phone's on that channel. */
function conversationKey(
  { caller, ids }: { readonly caller: Caller; readonly ids: Ids },
  channelId: string,
  target: { readonly conversationId: string | undefined; readonly phone: string | null },
): string {
  if (target.conversationId !== undefined) return target.conversationId;
  return conversationId(ids, channelId, contactId(ids, caller.orgId, target.phone ?? ''));
}

/** With media the text is the caption, unless there is one (D15). */
function captionOf({ text, caption, mediaUrl, mediaId }: Body): string | undefined {
  const withMedia = mediaUrl !== undefined || mediaId !== undefined;
  return withMedia ? (caption ?? text) : text;
}

/** Templates and buttons are of one network alone: an answer of 201 would be silence. */
function refuseContent(provider: Provider, body: Body): Failure | null {
  if (provider === 'cloud') return null;
  const fields = (['template', 'interactive'] as const).filter((field) => body[field]);
  const issues = fields.map((path) => ({ path, message: SENTENCES.notOnWeb }));
  return issues.length === 0 ? null : invalid(...issues);
}

/** The header's file is fetched apart. */
function askedTemplate({ header, ...rest }: TemplateBody): AskedTemplate {
  const { name, language, body, buttons } = rest;
  const file = header && fileField(header);
  return {
    values: {
      ...{ name, language },
      ...(header?.text === undefined ? {} : { header: { text: header.text } }),
      ...(body === undefined ? {} : { body }),
      ...(buttons === undefined ? {} : { buttons }),
    },
    ...(file === undefined ? {} : { file }),
  };
}

function contentOf({
  template,
  interactive,
  reaction,
  location,
  contacts,
}: Body): AskedContent | undefined {
  if (template) return { type: 'template', ...askedTemplate(template) };
  if (interactive) return { type: 'interactive', interactive };
  if (reaction) return { type: 'reaction', reaction };
  if (location) return { type: 'location', location };
  return contacts && { type: 'contacts', contacts };
}

type Conditions = Pick<
  SendMessage,
  'content' | 'replyToId' | 'outsideWindow' | 'fallbackTemplate' | 'schedule' | 'bulk' | 'onlyIf'
>;

/** The window is one network's: on another its rules have no effect. */
function conditionsOf(provider: Provider, body: Body): Conditions {
  const { replyToId, outsideWindow, fallbackTemplate, sendAt, ifLate = 'send', onlyIf } = body;
  const { priority, expiresAt } = body;
  const content = contentOf(body);
  const hasWindow = provider === 'cloud';
  return {
    ...(content ? { content } : {}),
    ...(replyToId === undefined ? {} : { replyToId }),
    ...(hasWindow && outsideWindow === 'refuse' ? { outsideWindow } : {}),
    ...(hasWindow && fallbackTemplate ? { fallbackTemplate: askedTemplate(fallbackTemplate) } : {}),
    ...(sendAt === undefined ? {} : { schedule: { at: Date.parse(sendAt), ifLate } }),
    ...(priority === 'bulk'
      ? { bulk: { expiresAt: expiresAt === undefined ? null : Date.parse(expiresAt) } }
      : {}),
    ...(onlyIf ? { onlyIf } : {}),
  };
}

function filesOf(body: Body, { fallbackTemplate }: Conditions): readonly WantedFile[] {
  const captioned = (captionOf(body) ?? '') !== '';
  const captionedBy = captioned ? (body.caption === undefined ? 'text' : 'caption') : null;
  const fallback = fallbackTemplate && body.fallbackTemplate?.header;
  const wanted: readonly WantedFile[] = [
    { part: 'attached', file: body, under: '', captionedBy },
    {
      part: 'attached',
      file: body.template?.header ?? {},
      under: 'template.header.',
      captionedBy: null,
    },
    {
      part: 'fallbackAttached',
      file: fallback ?? {},
      under: 'fallbackTemplate.header.',
      captionedBy: null,
    },
  ];
  return wanted.filter(({ file }) => fileField(file) !== undefined);
}

/** One of both names the file. */
interface NamedFile {
  readonly mediaUrl?: string | undefined;
  readonly mediaId?: string | undefined;
}

interface WantedFile {
  readonly part: 'attached' | 'fallbackAttached';
  readonly file: NamedFile;
  /** Path of the object with the file's fields, with its last dot. */
  readonly under: '' | 'template.header.' | 'fallbackTemplate.header.';
  readonly captionedBy: FetchMedia['captionedBy'];
}

/** The field of the object that names a file, if any. */
function fileField({ mediaUrl, mediaId }: NamedFile): 'mediaUrl' | 'mediaId' | undefined {
  if (mediaUrl !== undefined) return 'mediaUrl';
  return mediaId === undefined ? undefined : 'mediaId';
}

interface Wanted {
  readonly files: readonly WantedFile[];
  readonly command: SendMessage;
  readonly address: Address<'conversation'>;
}

/**
 * The send, after the fetches of its files: its own, that of its template's header, and that of its
 * fallback's. A refused download sends nothing.
 */
function sendOf(ids: Ids, { files, command, address }: Wanted): Plan | Run {
  // All ids are made before the first ask: a repeated call makes the same.
  const fetches = files.map((wanted) => ({
    part: wanted.part,
    fetch: fetchOf(ids, wanted, { command, address }),
  }));
  if (fetches.length === 0) return { to: 'actor', address, command };
  const channel = { kind: 'channel', key: command.channelId } as const;
  return async (ask) => {
    let sent = command;
    for (const { part, fetch } of fetches) {
      const withinMs = MEDIA_ASK_DEADLINE_MS;
      const reply = await ask({ to: 'actor', address: channel, command: fetch, withinMs });
      if (reply.status !== 200) return reply;
      sent = { ...sent, [part]: bodyOf(reply) };
    }
    return ask({ to: 'actor', address, command: sent });
  };
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
  const { authorLabel: _label, origin: _origin, bulk: _bulk, ...target } = asked;
  const { content, replyToId, outsideWindow, fallbackTemplate, schedule, onlyIf } = target;
  const conditions = [content, replyToId, outsideWindow, fallbackTemplate, schedule, onlyIf];
  // No owner refuses a file to a phone.
  if (!command.byConversation && conditions.every((each) => each === undefined)) return null;
  const named = { id: ids.fresh('cmd'), messageId: command.id, type: 'check-send' } as const;
  const check: CheckSend = { ...target, ...named };
  return { conversationId, check };
}

const OPTED_OUT =
  'Para um contato que pediu para sair também é aceita e enviada: confira `optIn` antes de ' +
  'mensagens que ele não espera.';

export const sendMessage = apiRoute({
  method: 'POST',
  path: '/api/v1/messages',
  operationId: 'sendMessage',
  access: 'send',
  summary: 'Envia uma mensagem por um canal conectado; cada chamada envia uma mensagem.',
  description:
    'Informe `phone` ou `conversationId`, e `text`, `mediaUrl`, `mediaId`, ou um só entre ' +
    '`template`, `interactive`, `reaction`, `location` e `contacts`. Um telefone que ainda não é ' +
    'contato cria contato e conversa. Com mídia o texto vira legenda. O 201 diz que a mensagem ' +
    'foi aceita e está na fila. Cada chamada envia uma mensagem. Um modelo é conferido antes ' +
    'do 201. Em `cloud`, fora da janela de 24 horas a rede só entrega modelos: use ' +
    '`outsideWindow` ou `fallbackTemplate`. ' +
    'Com `sendAt` ela fica agendada (`scheduled`) por até 90 dias, e na hora tudo é decidido de ' +
    'novo. Passada mais de uma hora, `ifLate` diz se ela ainda sai. ' +
    'Mande um envio em massa com `priority: bulk`: ele espera até `expiresAt` sem atrasar ' +
    'respostas, e quem pediu para sair não o recebe (`failed`, `opted_out`). ' +
    'Com `onlyIf` ela só é aceita se nada mudou na conversa; senão é 409, e nada é enviado. ' +
    'Um modelo MARKETING é 409 para quem não quer marketing, ou nenhuma mensagem. ' +
    `${OPTED_OUT} ${ONCE}`,
  tag: 'Mensagens',
  body: SendMessageBody,
  fieldDescriptions: MESSAGE_FIELDS,
  bodyExample: TEXT_EXAMPLE,
  bodyExamples: MESSAGE_EXAMPLES,
  needsChannel: true,
  isAdditive: true,
  answers: {
    201: {
      description: 'A mensagem foi aceita e está na fila.',
      schema: SendMessageAnswer,
      example: {
        data: { messageId: MESSAGE_ID, conversationId: CONVERSATION_ID, channelId: CHANNEL_ID },
      },
    },
  },
  refusals: [403, 404, 409],
  plan({ caller, ids, body, phone }) {
    const scoped = channelInScope(caller, body.channelId);
    if ('refusal' in scoped) return { to: 'caller', refusal: scoped.refusal };
    const { id: channelId, provider } = scoped.value;
    const byConversation = body.conversationId !== undefined;
    if (body.conversationId !== undefined && !looksLikeId(body.conversationId)) {
      return { to: 'caller', refusal: failure('conversation_not_found') };
    }
    const refusal = refuseContent(provider, body) ?? readinessRefusal(scoped.value);
    if (refusal) return { to: 'caller', refusal };
    const conditions = conditionsOf(provider, body);
    const command: SendMessage = {
      id: ids.fresh('msg'),
      type: 'send',
      orgId: caller.orgId,
      ...{ channelId, phone, byConversation },
      channelScope: caller.scope === 'channel',
      text: captionOf(body) ?? '',
      ...conditions,
      authorLabel: caller.keyName,
      origin: originOf(caller),
    };
    const target = { conversationId: body.conversationId, phone };
    const key = conversationKey({ caller, ids }, channelId, target);
    const address: Address<'conversation'> = { kind: 'conversation', key };
    return sendOf(ids, { files: filesOf(body, conditions), command, address });
  },
});
