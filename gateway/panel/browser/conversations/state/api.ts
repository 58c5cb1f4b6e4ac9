/** Conversations as the panel reads and changes them. */
import type { Conversation } from '../../../../../shared/api/conversation.ts';
import type { RowFacts } from '../../../../../shared/api/panel-conversation.ts';
import type { MemberRole } from '../../../../../shared/vocabulary.ts';
import { call, type Outcome, query } from '../../base/call.ts';
import { useRead } from '../../base/use-read.ts';
import { changed } from '../../live.ts';
import { TEXT } from '../../sentences.ts';

/** One that is read by itself has none of a row's facts. */
export interface PanelConversation extends Conversation, Partial<RowFacts> {
  readonly run?: {
    readonly flowId: string;
    readonly flowName: string;
    readonly step: string | null;
    readonly waitingUntil: string | null;
  } | null;
  /** The last run that has ended. */
  readonly lastRun?: {
    readonly flowId: string;
    readonly flowName: string;
    readonly endedAt: string;
    readonly endedSeq: number;
  } | null;
}

export interface Data<Body> {
  readonly data: Body;
}

export interface Page<Row> extends Data<readonly Row[]> {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

export interface TeamMember {
  readonly id: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly enabled: boolean;
}

/** Members of the organization, current while the screen is open. */
export function useTeam(): readonly TeamMember[] {
  const interest = { kinds: ['organization'] } as const;
  const { body } = useRead<Data<readonly TeamMember[]>>('/api/v1/members', interest);
  return body?.data ?? [];
}

/** Of whom something is: a member, or one who has left; before the team is read nobody knows. */
export function assigneeName(team: readonly TeamMember[], assigneeId: string): string {
  if (team.length === 0) return '…';
  return team.find(({ id }) => id === assigneeId)?.name ?? TEXT.conversations.formerMember;
}

/** Members that may be named anew; a disabled one keeps what is theirs. */
export function activeIn(team: readonly TeamMember[]): readonly TeamMember[] {
  return team.filter(({ enabled }) => enabled);
}

/** Members to whom a conversation may be given: one who only reads answers nobody. */
export function attendantsIn(team: readonly TeamMember[]): readonly TeamMember[] {
  return activeIn(team).filter(({ role }) => role !== 'viewer');
}

/** Choices of whom something is given to. Whoever has it stays among them, and so does nobody. */
export function memberOptions(
  team: readonly TeamMember[],
  currentId: string | null,
): readonly (readonly [id: string, name: string])[] {
  const offered = team.filter(({ id, enabled }) => enabled || id === currentId);
  const isGone = currentId !== null && !offered.some(({ id }) => id === currentId);
  return [
    ['', TEXT.none],
    ...offered.map(({ id, name }) => [id, name] as const),
    ...(isGone ? [[currentId, assigneeName(team, currentId)] as const] : []),
  ];
}

export interface Filters {
  readonly view: 'all' | 'mine' | 'unassigned';
  readonly unread: boolean;
  readonly channelId: string;
  readonly status: string;
  /** A member's id. */
  readonly assigneeId: string;
  /** Of the contact. */
  readonly tag: string;
  readonly query: string;
}

export const NO_FILTERS: Filters = {
  view: 'all',
  unread: false,
  channelId: '',
  status: '',
  assigneeId: '',
  tag: '',
  query: '',
};

const PAGE_LIMIT = 100;

export function conversationPath(id: string): string {
  return `/panel/api/conversations/${encodeURIComponent(id)}`;
}

export function changePath(id: string): string {
  return `/api/v1/conversations/${encodeURIComponent(id)}`;
}

/** Path of one page; `memberId` is the reader's own. */
export function listPath(filters: Filters, memberId: string | undefined, page: number): string {
  const { view, unread, channelId, status, tag } = filters;
  const ofView = { all: filters.assigneeId, mine: memberId, unassigned: 'none' };
  const entries = { status, channelId, tag, assignedTo: ofView[view], query: filters.query };
  const read = unread ? { unread: true } : {};
  return `/panel/api/conversations${query({ ...entries, ...read, page, limit: PAGE_LIMIT })}`;
}

/** Pages from the first on, as one list; a row that moved between two reads appears once. */
export async function readPages<Row extends { readonly id: string }>(
  pathOf: (page: number) => string,
  count: number,
): Promise<Outcome<Page<Row>>> {
  const rows = new Map<string, Row>();
  let last: Page<Row> | null = null;
  for (let page = 1; page <= count; page++) {
    const outcome = await call<Page<Row>>('GET', pathOf(page));
    if (!outcome.ok) return outcome;
    last = outcome.body;
    for (const row of last.data) if (!rows.has(row.id)) rows.set(row.id, row);
    if (page * last.limit >= last.total) break;
  }
  return {
    ok: true,
    body: { page: 1, limit: PAGE_LIMIT, total: 0, ...last, data: [...rows.values()] },
  };
}

/** Every screen that shows the conversation reads it again. */
export async function markRead(id: string): Promise<void> {
  const outcome = await call('POST', `${conversationPath(id)}/read`);
  if (outcome.ok) changed('conversation', id);
}

export function nameOf(contact: Conversation['contact'], phone: string): string {
  return contact.name ?? phone;
}
