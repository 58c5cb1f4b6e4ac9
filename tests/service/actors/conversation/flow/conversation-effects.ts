/** The effects of a dialogue at its end, in the words of docs/flows.md. */
import assert from 'node:assert/strict';
import type * as v from 'valibot';
import { ListDealsAnswer } from '../../../../../shared/api/deal.ts';
import { ListMessagesAnswer } from '../../../../../shared/api/message.ts';
import { ListPipelinesAnswer } from '../../../../../shared/api/pipeline.ts';
import { ListTasksAnswer } from '../../../../../shared/api/task.ts';
import { localMoment } from '../../../../../shared/time/local-time.ts';
import { parseAnswer } from '../../../../support/api/answers.ts';
import type { Organization } from '../../../../support/organization.ts';
import type { Stack } from '../../../../support/stack.ts';

const DAY_MS = 86_400_000;

/** All of it, sorted: tags, fields, deals, tasks, notes, assignment, opt-out. */
export async function conversationEffects(
  stack: Stack,
  org: Organization,
  about: { readonly phone: string; readonly timeZone: string },
): Promise<readonly string[]> {
  const get = async <S extends v.GenericSchema>(schema: S, path: string) => {
    return parseAnswer(await stack.call('GET', `/api/v1/${path}`, { key: org.key }), schema);
  };
  const contact = await stack.contact(org.key, about.phone);
  assert.ok(contact, 'the contact is there');
  const [deals, tasks, pipelines, conversations] = await Promise.all([
    get(ListDealsAnswer, `deals?contactId=${contact.id}`),
    get(ListTasksAnswer, `tasks?contactId=${contact.id}`),
    get(ListPipelinesAnswer, 'pipelines'),
    stack.conversations(org.key, `?contactId=${contact.id}`),
  ]);
  const [conversation] = conversations.data;
  assert.ok(conversation, 'there is a conversation');
  const history = `messages?conversationId=${conversation.id}&includeNotes=true&limit=200`;
  const notes = (await get(ListMessagesAnswer, history)).data.filter(isNote);
  const stages = new Map(pipelines.data.flatMap((each) => each.stages).map((s) => [s.id, s.name]));
  const members = new Map(Object.entries(org.applied.members).map(([ref, id]) => [id, ref]));
  const nameOf = (id: string | null) => members.get(id ?? '') ?? 'nobody';
  const days = (at: string | null) => (at === null ? null : dayOf(at, about.timeZone));
  return [
    ...contact.tags.map((tag) => `tag ${tag}`),
    ...Object.entries(contact.fields).map(([name, text]) => `field ${name}: ${text}`),
    ...deals.data.map(
      ({ title, status, stageId }) => `deal ${title}: ${status}, ${stages.get(stageId)}`,
    ),
    ...tasks.data.map(({ title, assigneeId, dueAt, createdAt }) => {
      const due = Math.round(((days(dueAt) ?? 0) - (days(createdAt) ?? 0)) / DAY_MS);
      return `task ${title}: ${nameOf(assigneeId)}, in ${due} day${due === 1 ? '' : 's'}`;
    }),
    ...notes.map(({ text }) => `note ${text?.replaceAll('\n', '\\n')}`),
    ...(conversation.assignedTo === null ? [] : [`assigned to ${nameOf(conversation.assignedTo)}`]),
    ...(contact.optOutAt === null ? [] : ['opted out']),
  ].sort();
}

/** Midnight of the local day, as if it were of UTC. */
function dayOf(at: string, timeZone: string): number {
  return Date.parse(localMoment(Date.parse(at), timeZone).day);
}

function isNote({ direction }: { readonly direction: string }): boolean {
  return direction === 'note';
}
