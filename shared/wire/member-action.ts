/**
 * Actions of a team's members in a conversation: commands to `conversation`, key = conversation id.
 * Each answers 200 PeopleAnswer, 404 or 422; a reply 409 too, while its channel cannot send.
 */
import * as v from 'valibot';
import { GIVEN_STATUSES } from '../api/conversation.ts';
import { id } from '../api/fields.ts';
import { type Failure, invalid } from '../failures.ts';
import { AUTOMATION_PAUSE_MAX_MS, MESSAGE_TEXT_MAX_CHARS } from '../limits.ts';
import { type ConversationStatus, ORIGINS } from '../vocabulary.ts';

function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\u0000');
}

const string = v.string('must be text');

/** A member's ref or id. */
const member = v.pipe(string, v.minLength(1, 'must not be empty'));
/** The operator reads these sentences, in English as all of the command line. */
const text = v.pipe(
  string,
  v.check(isStorable, 'holds characters that cannot be stored'),
  v.minCodePoints(1, 'must not be empty'),
  v.maxCodePoints(MESSAGE_TEXT_MAX_CHARS, `must be at most ${MESSAGE_TEXT_MAX_CHARS} characters`),
);
const members = v.optional(v.array(member), []);

/** The organization that asks; absent for the operator's command line, which reaches each one. */
const asked = { id, orgId: v.optional(id) };

const commandSchema = v.variant('type', [
  /** The team's own: never sent; the command's id becomes the note's. */
  v.object({ ...asked, type: v.literal('note'), member, text }),
  /** The same by an API key, under its name. */
  v.object({
    ...asked,
    type: v.literal('key-note'),
    keyName: string,
    /** The channel of a channel key (403 for another's conversation), else null. */
    channelScope: v.nullable(id),
    text,
    /** Earlier versions name none. */
    origin: v.optional(v.picklist(['api', 'assistant']), 'api'),
  }),
  /** Of the public API, by a key or a member: all or nothing. Members are named by id. */
  v.object({
    ...asked,
    type: v.literal('change'),
    /** The channel of a channel key (403 for another's conversation), else null. */
    channelScope: v.nullable(id),
    origin: v.picklist(ORIGINS),
    assignedTo: v.optional(v.nullable(id)),
    /** All of them. */
    participants: v.optional(v.array(id)),
    status: v.optional(v.picklist(GIVEN_STATUSES)),
    /** Epoch milliseconds; null ends the pause. */
    pausedUntil: v.optional(v.nullable(v.number())),
  }),
  /** Sent through the channel; the command's id becomes the message's. */
  v.object({ ...asked, type: v.literal('reply'), member, text }),
  /** Null: no member. */
  v.object({ ...asked, type: v.literal('assign'), member: v.nullable(member) }),
  v.object({ ...asked, type: v.literal('participants'), add: members, remove: members }),
  v.object({
    ...asked,
    type: v.literal('pause'),
    forMs: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(AUTOMATION_PAUSE_MAX_MS)),
  }),
  v.object({ ...asked, type: v.literal('resume') }),
  v.object({ ...asked, type: v.literal('resolve') }),
  v.object({ ...asked, type: v.literal('reopen') }),
  v.object({ ...asked, type: v.literal('read') }),
  /** Of the operator: ends the conversation's flow run. */
  v.object({ ...asked, type: v.literal('stop-run') }),
]);

export type MemberAction = v.InferOutput<typeof commandSchema>;

export function parseMemberAction(
  command: MemberAction,
): { readonly command: MemberAction } | { readonly refusal: Failure } {
  const parsed = v.safeParse(commandSchema, command);
  if (parsed.success) return { command: parsed.output };
  const issues = parsed.issues.map((issue) => ({
    path: v.getDotPath(issue) ?? '',
    message: issue.message,
  }));
  return { refusal: invalid(...issues) };
}

/** The conversation after the command; timestamps are ISO 8601 in UTC. */
export interface MemberActionAnswer {
  readonly conversationId: string;
  /** Of a note or a reply. */
  readonly messageId?: string;
  /** False when all was so before. */
  readonly changed: boolean;
  readonly status: ConversationStatus;
  readonly assignedTo: string | null;
  readonly participants: readonly string[];
  readonly unread: number;
  readonly automationPausedUntil: string | null;
}
