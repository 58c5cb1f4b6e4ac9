/**
 * `recado conversations note|reply|assign|participants|pause|resume|resolve|reopen`: what a team's
 * member does in a conversation (D12).
 */
import type { Command } from 'commander';
import * as v from 'valibot';
import { AUTOMATION_PAUSE_MAX_MS, MEMBER_ANSWER_PAUSE_MS } from '../../../../shared/limits.ts';
import { parseDuration } from '../../../../shared/provisioning/duration.ts';
import { CONVERSATION_STATUSES } from '../../../../shared/vocabulary.ts';
import { CONVERSATIONS, group } from '../output/group.ts';
import { readAnswer } from '../service/answer.ts';
import { badInput } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import type { CommandDraft, Service } from '../service/service.ts';

export const answerSchema = v.object({
  conversationId: v.string(),
  messageId: v.optional(v.string()),
  changed: v.boolean(),
  status: v.picklist(CONVERSATION_STATUSES),
  assignedTo: v.nullable(v.string()),
  participants: v.array(v.string()),
  unread: v.number(),
  automationPausedUntil: v.nullable(v.string()),
});

/** As the panel names them in the audit log. */
const OPERATIONS = {
  note: 'writeNote',
  reply: 'sendMessage',
  assign: 'assignConversation',
  participants: 'changeParticipants',
  pause: 'pauseAutomation',
  resume: 'resumeAutomation',
  resolve: 'resolveConversation',
  reopen: 'reopenConversation',
} as const;

type ActionDraft = Extract<CommandDraft, { readonly type: keyof typeof OPERATIONS }>;
type Changed = v.InferOutput<typeof answerSchema>;

async function askConversation(
  service: Service,
  conversationId: string,
  draft: ActionDraft,
): Promise<Changed> {
  const to = { kind: 'conversation', key: conversationId } as const;
  const answer = await service.ask(to, { ...draft, ...operatorAs(OPERATIONS[draft.type]) });
  if (answer.status === 404) {
    throw badInput('', `there is no conversation "${conversationId}"`);
  }
  return readAnswer(answerSchema, answer);
}

/** A message is named by the command that makes it. */
function writing(service: Service, type: 'note' | 'reply', { member, text }: Writing): ActionDraft {
  return { type, id: service.ids.fresh('msg'), member, text };
}

interface Writing {
  readonly member: string;
  readonly text: string;
}

/** @throws {BadInput} naming the option */
function pauseMs(duration: string | undefined): number {
  if (duration === undefined) return MEMBER_ANSWER_PAUSE_MS;
  const forMs = parseDuration(duration);
  if (forMs === null || forMs < 1 || forMs > AUTOMATION_PAUSE_MAX_MS) {
    throw badInput('--for', `"${duration}" is not a duration: give 30m, 2h, up to 365d`);
  }
  return forMs;
}

/** @throws {BadInput} when it is not exactly one of them */
function assignee({ member, nobody }: { member?: string; nobody?: boolean }): string | null {
  if ((member === undefined) === (nobody !== true)) {
    throw badInput('', 'give either --member or --nobody');
  }
  return member ?? null;
}

type Show = (ask: (service: Service) => Promise<Changed>) => Promise<void>;

const ID = ['<conversationId>', 'the id of the conversation'] as const;
const MEMBER = ['--member <member>', 'ref or id of the member'] as const;

export function addConversations(program: Command, show: Show): void {
  const conversations = group(program, 'conversations', CONVERSATIONS);
  addWriting(conversations, show);
  addAssignment(conversations, show);
  addAutomation(conversations, show);
}

function addWriting(conversations: Command, show: Show): void {
  const kinds = [
    ['note', "writes a note that only the team's own reads"],
    ['reply', 'sends a text through the channel as a member, and pauses automation'],
  ] as const;
  for (const [type, description] of kinds) {
    conversations
      .command(type)
      .description(description)
      .argument(...ID)
      .requiredOption(...MEMBER)
      .requiredOption('--text <text>', 'what to write')
      .action((id: string, options: Writing) =>
        show((service) => askConversation(service, id, writing(service, type, options))),
      );
  }
}

interface ParticipantChanges {
  readonly add?: string[];
  readonly remove?: string[];
}

function addAssignment(conversations: Command, show: Show): void {
  conversations
    .command('assign')
    .description('assigns a conversation to a member, or to nobody')
    .argument(...ID)
    .option(...MEMBER)
    .option('--nobody', 'take the assignment away')
    .action((id: string, options: { member?: string; nobody?: boolean }) => {
      const member = assignee(options);
      return show((service) => askConversation(service, id, { type: 'assign', member }));
    });
  conversations
    .command('participants')
    .description('lets members take part in a conversation, or leave it')
    .argument(...ID)
    .option('--add <members...>', 'refs or ids of members')
    .option('--remove <members...>', 'refs or ids of members')
    .action((id: string, { add = [], remove = [] }: ParticipantChanges) =>
      show((service) => askConversation(service, id, { type: 'participants', add, remove })),
    );
  conversations
    .command('resolve')
    .description("resolves a conversation: the contact's next message opens it again")
    .argument(...ID)
    .action((id: string) => show((service) => askConversation(service, id, { type: 'resolve' })));
  conversations
    .command('reopen')
    .description('opens a resolved conversation again')
    .argument(...ID)
    .action((id: string) => show((service) => askConversation(service, id, { type: 'reopen' })));
}

function addAutomation(conversations: Command, show: Show): void {
  conversations
    .command('pause')
    .description('pauses automation in a conversation, for 30 minutes unless told otherwise')
    .argument(...ID)
    .option('--for <duration>', 'how long, such as 30m or 2h')
    .action((id: string, options: { for?: string }) => {
      const forMs = pauseMs(options.for);
      return show((service) => askConversation(service, id, { type: 'pause', forMs }));
    });
  conversations
    .command('resume')
    .description('ends a pause of automation')
    .argument(...ID)
    .action((id: string) => show((service) => askConversation(service, id, { type: 'resume' })));
}
