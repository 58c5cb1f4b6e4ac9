/**
 * Check of a send's content before it is accepted: its template against the account's, the message
 * that it quotes, and the window (D288, D290).
 */
import { type Failure, failure, type Issue, invalid } from '../../../shared/failures.ts';
import type { FallbackTemplate } from '../../../shared/message.ts';
import type { AskedTemplate, SendMessage } from '../../../shared/wire/commands.ts';
import type { FetchedMedia } from '../../../shared/wire/fetched-media.ts';
import type { CheckSend } from '../../../shared/wire/media-commands.ts';
import { hasRefusedMarketing } from '../../contact/opt-outs.ts';
import { readContactByPhone } from '../../contact/read-contact.ts';
import { refusesMarketing } from '../../domain/contact.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import {
  type DraftContent,
  fallbackDraft,
  NO_FILE,
  referenceProblem,
  structuredDraft,
  templateDraft,
} from '../../domain/conversation/outbound-content.ts';
import { judgeWindow } from '../../domain/conversation/window.ts';
import { checkTemplate } from '../../domain/template.ts';
import type { Environment } from '../../environment.ts';
import { findTemplate } from '../../template/find-template.ts';
import type { Conversation } from './conversation.ts';
import { BelongsElsewhere } from './join.ts';

/** A send, or the question about one, which knows no files and no text. */
type Asked = Pick<CheckSend, 'orgId' | 'channelId' | 'content' | 'replyToId' | 'fallbackTemplate'> &
  Partial<Pick<SendMessage, 'text' | 'attached' | 'fallbackAttached'>>;

export type CheckedSend =
  /** Certain: no earlier run of the command can still be accepted. */
  | { readonly refusal: Failure; readonly isCertain?: true }
  | { readonly draft: DraftContent; readonly state: ConversationState | null };

/** Whether nothing but the target can refuse the message. */
export function isPlain({
  content,
  replyToId,
  outsideWindow = 'send',
  fallbackTemplate,
  schedule,
  bulk,
  onlyIf,
}: SendMessage): boolean {
  const named = [
    ...[content, replyToId, fallbackTemplate, schedule, onlyIf],
    bulk?.expiresAt ?? undefined,
  ];
  return outsideWindow === 'send' && named.every((part) => part === undefined);
}

/** The draft of the message, or every problem of it at its field. */
export async function checkSendContent(
  conversation: Conversation,
  state: ConversationState | null,
  asked: Asked,
): Promise<CheckedSend> {
  const { content, attached, fallbackTemplate, fallbackAttached, replyToId } = asked;
  const [references, own, fallback] = await Promise.all([
    referenceIssues(conversation, state, asked),
    content?.type === 'template'
      ? checkedTemplate(conversation, asked, { field: 'template', asked: content, attached })
      : contentOf(asked),
    checkedFallback(conversation, asked, { asked: fallbackTemplate, attached: fallbackAttached }),
  ]);
  const issues = [
    ...references,
    ...('issues' in own ? own.issues : []),
    ...(fallback && 'issues' in fallback ? fallback.issues : []),
  ];
  if (issues.length > 0 || 'issues' in own || (fallback && 'issues' in fallback)) {
    return { refusal: invalid(...issues) };
  }
  const quoted = replyToId === undefined ? {} : { replyToId };
  return { state, draft: { ...own, ...quoted, ...(fallback ? { fallback } : {}) } };
}

type Issues = { readonly issues: readonly Issue[] };

function contentOf({ content, text = '', attached }: Asked): DraftContent {
  if (content && content.type !== 'template') return structuredDraft(content);
  return { ...(attached ?? NO_FILE), text: text || null };
}

interface Attached {
  readonly asked: AskedTemplate;
  readonly attached: FetchedMedia | undefined;
}

async function checkedTemplate(
  { parts }: Conversation,
  { orgId, channelId }: Asked,
  { field, asked, attached }: Attached & { readonly field: 'template' | 'fallbackTemplate' },
): Promise<DraftContent | Issues> {
  const { values, file } = asked;
  const found = await findTemplate(parts.environment, { orgId, channelId }, values);
  const checked = checkTemplate(found, {
    values,
    // The file is not known before its download.
    attached: attached?.kind ?? (file === undefined ? null : 'file'),
    ...(file === undefined ? {} : { attachedAt: `header.${file}` as const }),
  });
  if (!('issues' in checked)) return templateDraft(checked, attached ?? NO_FILE);
  const issues = checked.issues.map(({ path, message }) => ({ path: `${field}.${path}`, message }));
  return { issues };
}

async function checkedFallback(
  conversation: Conversation,
  send: Asked,
  { asked, attached }: { readonly [Part in keyof Attached]: Attached[Part] | undefined },
): Promise<FallbackTemplate | Issues | null> {
  if (asked === undefined) return null;
  const named = { field: 'fallbackTemplate', asked, attached } as const;
  const checked = await checkedTemplate(conversation, send, named);
  if ('issues' in checked) return checked;
  const { content, text, kind, media } = checked;
  if (content?.type !== 'template') throw new TypeError('a fallback is a template');
  return { template: content.template, text: text ?? '', kind, media };
}

async function referenceIssues(
  { log }: Conversation,
  state: ConversationState | null,
  { content, replyToId }: Asked,
): Promise<readonly Issue[]> {
  const reactedTo = content?.type === 'reaction' ? content.reaction.messageId : null;
  const named = [
    { path: 'replyToId', id: replyToId ?? null, known: false },
    { path: 'reaction.messageId', id: reactedTo, known: true },
  ];
  const issues = await Promise.all(
    named.map(async ({ path, id, known }) => {
      if (id === null) return [];
      const entry = state && (await log.entry(id, state.joined));
      const message = referenceProblem(entry?.message, { known });
      return message === null ? [] : [{ path, message }];
    }),
  );
  return issues.flat();
}

/**
 * A template of marketing to a contact that wants none is refused: a network counts it against the
 * number, and the contact has said so (D327).
 */
export async function judgeMarketing(
  { parts }: Conversation,
  checked: Extract<CheckedSend, { draft: unknown }>,
  { orgId, phone }: Pick<SendMessage, 'orgId' | 'phone'>,
): Promise<CheckedSend> {
  const { state, draft } = checked;
  const { content } = draft;
  if (content?.type !== 'template' || content.template.marketing !== true) return checked;
  const { environment } = parts;
  const isRefused = state
    ? await hasRefusedMarketing(environment.store, state)
    : await isOfNone(environment, orgId, phone ?? '');
  return isRefused ? { refusal: failure('marketing_opt_out') } : checked;
}

/** The conversation does not exist yet; the contact may. */
async function isOfNone(
  environment: Pick<Environment, 'store' | 'ids'>,
  orgId: string,
  phone: string,
): Promise<boolean> {
  const contact = await readContactByPhone(environment, orgId, phone);
  return contact !== null && refusesMarketing(contact);
}

/**
 * The message as the window has it: unchanged, refused, or its template. A message is refused or
 * replaced by what the log says, and not by a snapshot that a crash has left stale.
 */
export async function judgeSend(
  conversation: Conversation,
  { state, draft }: Extract<CheckedSend, { draft: unknown }>,
  { outsideWindow = 'send' }: Pick<SendMessage, 'outsideWindow'>,
): Promise<CheckedSend> {
  const { fallback } = draft;
  const isFree = draft.content?.type !== 'template';
  const matters = isFree && (outsideWindow === 'refuse' || fallback !== undefined);
  const { clock } = conversation.parts.environment;
  const asked = { outsideWindow, hasFallback: fallback !== undefined };
  if (!matters || judgeWindow(state ?? {}, asked, clock.now()) === 'send') return { state, draft };
  const truth = await conversation.reload();
  if (truth?.joinedTo !== undefined) throw new BelongsElsewhere(truth.joinedTo);
  const verdict = judgeWindow(truth ?? {}, asked, clock.now());
  if (verdict === 'refuse') return { refusal: failure('window_closed') };
  return {
    state: truth,
    draft: verdict === 'replace' && fallback ? fallbackDraft(fallback) : draft,
  };
}
