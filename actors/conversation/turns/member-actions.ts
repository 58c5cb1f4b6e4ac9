/**
 * A member's command in a conversation: resolves the member, decides, and answers the new state.
 * The entry has the command's id: a repeated command finds its entry, and completes its work.
 */
import { CONVERSATION_SENTENCES } from '../../../shared/api/conversation.ts';
import {
  type Failure,
  failure,
  type Issue,
  invalid,
  renderFailure,
} from '../../../shared/failures.ts';
import { AUTOMATION_PAUSE_MAX_MS, MEMBER_ANSWER_PAUSE_MS } from '../../../shared/limits.ts';
import type { AnswerOf } from '../../../shared/ports/bus.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import {
  type MemberAction,
  type MemberActionAnswer,
  parseMemberAction,
} from '../../../shared/wire/member-action.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import type { Appended, ConversationState } from '../../domain/conversation/conversation.ts';
import {
  type Author,
  decideAssign,
  decideChange,
  decideKeyNote,
  decideNote,
  decideParticipants,
  decidePause,
  decideRead,
  decideReopen,
  decideReply,
  decideResolve,
  decideResume,
} from '../../domain/conversation/member-actions.ts';
import { decideStop } from '../../domain/flow/decide.ts';
import { readinessOf } from '../../domain/network-readiness.ts';
import {
  isActive,
  type MemberEntry,
  mayAttend,
  type OrganizationState,
} from '../../domain/organization.ts';
import { readOrganization } from '../../organization/read-organization.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import type { Conversation } from './conversation.ts';
import { withReadShown } from './mark-read.ts';

async function answerMemberAction(
  conversation: Conversation,
  command: MemberAction,
  context: TurnContext,
): Promise<AnswerOf<MemberActionAnswer>> {
  const parsed = parseMemberAction(command);
  if ('refusal' in parsed) return renderFailure(parsed.refusal);
  const { log, parts } = conversation;
  // Without the recovery a repeat would be answered ahead of the journal and of the snapshot: a list
  // asked for after the answer would lack the reply.
  const before = context.repeat ? await conversation.recoverEntry(command.id) : null;
  if (before && !isForeign(before.after, command))
    return changedAnswer(parsed.command, before.after, true);
  const state = (await conversation.load()) ?? (await conversation.reload());
  const organization =
    state && (await readOrganization(parts.environment.store, state.orgId, READ));
  if (!state || !organization || organization.removed === true || isForeign(state, command)) {
    return renderFailure(failure('conversation_not_found'));
  }
  const facts = { organization, now: parts.environment.clock.now() };
  const decision = decide(state, parsed.command, facts);
  if (decision === null) return changedAnswer(parsed.command, state, false);
  if ('refusal' in decision) {
    // A repeated command is never refused: its first run may have committed, unseen as yet.
    return renderFailure(context.repeat ? failure('fault') : decision.refusal);
  }
  const reading = { commandId: command.id, before: state };
  const shown =
    parsed.command.type === 'read'
      ? await withReadShown(conversation, decision, reading)
      : decision;
  const entry = (await conversation.commit(command.id, shown)) ?? (await log.entry(command.id));
  if (!entry) throw new Error('the id of the command is taken by another conversation');
  return changedAnswer(parsed.command, entry.after, true);
}

function isForeign(state: ConversationState, { orgId = state.orgId }: MemberAction): boolean {
  return state.orgId !== orgId;
}

const READ = ['members', 'channels', 'removed'] as const;
type Organization = Pick<OrganizationState, (typeof READ)[number]>;

export const MEMBER_ACTIONS = {
  note: answerMemberAction,
  'key-note': answerMemberAction,
  change: answerMemberAction,
  reply: answerMemberAction,
  assign: answerMemberAction,
  participants: answerMemberAction,
  pause: answerMemberAction,
  resume: answerMemberAction,
  resolve: answerMemberAction,
  reopen: answerMemberAction,
  read: answerMemberAction,
  'stop-run': answerMemberAction,
} as const;

const WRITING: ReadonlySet<MemberAction['type']> = new Set(['note', 'key-note', 'reply']);

type Decision = Appended | { readonly refusal: Failure } | null;

function decide(
  state: ConversationState,
  command: MemberAction,
  { organization, now }: { readonly organization: Organization; readonly now: number },
): Decision {
  switch (command.type) {
    case 'note':
      return asMember(organization, command.member, (author) =>
        decideNote(state, { author, text: command.text }, now),
      );
    case 'key-note':
      return isOtherChannel(state, command)
        ? { refusal: failure('other_channel') }
        : decideKeyNote(state, command, now);
    case 'change':
      return changeAsAsked(state, command, { organization, now });
    case 'reply': {
      const notReady = refuseChannel(organization, state.channelId);
      if (notReady) return { refusal: notReady };
      const { member, text } = command;
      return asMember(organization, member, (author) =>
        decideReply(state, { author, text, pauseMs: MEMBER_ANSWER_PAUSE_MS }, now),
      );
    }
    case 'assign':
      if (command.member === null) return decideAssign(state, null, now);
      return asMember(organization, command.member, ({ id }) => decideAssign(state, id, now));
    case 'participants':
      return changeParticipants(state, command, { organization, now });
    case 'pause':
      return decidePause(state, command.forMs, now);
    case 'resume':
      return decideResume(state, now);
    case 'resolve':
      return decideResolve(state, now);
    case 'reopen':
      return decideReopen(state, now);
    case 'read':
      return decideRead(state, now);
    case 'stop-run':
      return decideStop(state, now, 'operator');
    default:
      return command satisfies never;
  }
}

function isOtherChannel(
  { channelId }: ConversationState,
  { channelScope }: { readonly channelScope: string | null },
): boolean {
  return channelScope !== null && channelScope !== channelId;
}

type Change = Extract<MemberAction, { type: 'change' }>;

function changeAsAsked(
  state: ConversationState,
  command: Change,
  { organization, now }: { readonly organization: Organization; readonly now: number },
): Decision {
  if (isOtherChannel(state, command)) return { refusal: failure('other_channel') };
  const issues = issuesOf(command, organization, now);
  return issues.length > 0 ? { refusal: invalid(...issues) } : decideChange(state, command, now);
}

function issuesOf(
  { assignedTo = null, participants = [], pausedUntil }: Change,
  { members }: Organization,
  now: number,
): readonly Issue[] {
  const attendants = new Set(members.filter(mayAttend).map(({ id }) => id));
  const named = [
    ...(assignedTo === null ? [] : [{ path: 'assignedTo', id: assignedTo }]),
    ...participants.map((id, at) => ({ path: `participants.${at}`, id })),
  ];
  const strangers = named.filter(({ id }) => !attendants.has(id));
  const message = CONVERSATION_SENTENCES.notAttendant;
  const pauseMs = (pausedUntil ?? now + 1) - now;
  return [
    ...strangers.map(({ path }) => ({ path, message })),
    ...(pauseMs > 0 && pauseMs <= AUTOMATION_PAUSE_MAX_MS
      ? []
      : [{ path: 'automationPausedUntil', message: CONVERSATION_SENTENCES.pauseRange }]),
  ];
}

function changeParticipants(
  state: ConversationState,
  command: Extract<MemberAction, { type: 'participants' }>,
  { organization, now }: { readonly organization: Organization; readonly now: number },
): Decision {
  const add = command.add.map((name) => findMember(organization, name, isActive)?.id);
  const unknown = add.indexOf(undefined);
  if (unknown >= 0) return { refusal: notInTeam(`add.${unknown}`, command.add[unknown] ?? '') };
  // A former member is removed by the id that the conversation shows.
  const remove = command.remove.map(
    (name) => findMember(organization, name, isPresent)?.id ?? name,
  );
  return decideParticipants(state, { add: add.filter((id) => id !== undefined), remove }, now);
}

function asMember(
  organization: Organization,
  name: string,
  decideAs: (author: Author) => Appended | null,
): Decision {
  const author = findMember(organization, name, isActive);
  return author ? decideAs(author) : { refusal: notInTeam('member', name) };
}

/** A member's `ref` has precedence over an id. */
function findMember(
  { members }: Organization,
  name: string,
  isEligible: (member: MemberEntry) => boolean,
): Author | undefined {
  const eligible = members.filter(isEligible);
  return eligible.find(({ ref }) => ref === name) ?? eligible.find(({ id }) => id === name);
}

function isPresent({ removed }: MemberEntry): boolean {
  return removed !== true;
}

function notInTeam(path: string, name: string): Failure {
  return invalid({ path, message: `"${name}" is not a member of the team` });
}

function refuseChannel({ channels }: Organization, channelId: string): Failure | null {
  const channel = channels.find((each) => each.id === channelId && each.removed !== true);
  if (!channel) return failure('channel_not_ready');
  const { ready, reason } = readinessOf(channel);
  return ready ? null : failure('channel_not_ready', reason ?? undefined);
}

function changedAnswer(
  command: MemberAction,
  state: ConversationState,
  changed: boolean,
): AnswerOf<MemberActionAnswer> {
  const { automationPausedUntil: paused } = state;
  const writes = WRITING.has(command.type);
  return answerOf({
    conversationId: state.id,
    ...(writes ? { messageId: command.id } : {}),
    changed,
    status: state.status,
    assignedTo: state.assignedTo,
    participants: state.participants,
    unread: state.unread,
    automationPausedUntil: paused === null ? null : timestamp(paused),
  });
}
