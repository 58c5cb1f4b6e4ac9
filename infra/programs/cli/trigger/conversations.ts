/** Events of conversations: the contact writes, and a member's command follows. */
import * as v from 'valibot';
import { ListMembersAnswer } from '../../../../shared/api/member.ts';
import { CONVERSATION_STATUSES } from '../../../../shared/vocabulary.ts';
import { readAnswer } from '../service/answer.ts';
import { ServiceFailed } from '../service/failure.ts';
import { operatorAs } from '../service/operator.ts';
import type { Service } from '../service/service.ts';
import { receiveMessage } from './messages.ts';
import type { Made, Provocation } from './provocation.ts';
import { untilThere } from './until-there.ts';

const AGAIN = 'Ainda estou aqui.';

const conversationSchema = v.object({
  status: v.picklist(CONVERSATION_STATUSES),
  assignedTo: v.nullable(v.string()),
});
type Conversation = v.InferOutput<typeof conversationSchema>;

/** To another member than the present one, or to nobody. */
export async function assignConversation(provocation: Provocation): Promise<Made> {
  const { service, target } = provocation;
  const { id, made } = await written(provocation);
  const { assignedTo } = await read(service, id);
  const { data } = readAnswer(
    ListMembersAnswer,
    await service.query('team', { orgId: target.orgId }),
  );
  const others = data.filter((each) => each.enabled && each.id !== assignedTo);
  const member = others.find(({ role }) => role !== 'viewer')?.id ?? null;
  if (member === assignedTo) throw new ServiceFailed('The organization has no member.');
  const asked = { type: 'assign', member, ...operatorAs('assignConversation') } as const;
  readAnswer(v.unknown(), await service.ask({ kind: 'conversation', key: id }, asked));
  return made;
}

export async function resolveConversation(provocation: Provocation): Promise<Made> {
  const { id, made } = await written(provocation);
  await resolve(provocation.service, id);
  return made;
}

export async function reopenConversation(provocation: Provocation): Promise<Made> {
  const { id } = await written(provocation);
  await resolve(provocation.service, id);
  const { made } = await written({ ...provocation, text: AGAIN });
  await untilThere('the conversation is open again', async () => {
    const { status } = await read(provocation.service, id);
    return status === 'resolved' ? null : status;
  });
  return made;
}

async function written(provocation: Provocation): Promise<{ id: string; made: Made }> {
  const made = await receiveMessage(provocation);
  return { id: made.conversationId ?? '', made };
}

async function read(service: Service, id: string): Promise<Conversation> {
  return readAnswer(conversationSchema, await service.query('conversation', { id }));
}

async function resolve(service: Service, id: string): Promise<void> {
  const asked = { type: 'resolve', ...operatorAs('resolveConversation') } as const;
  readAnswer(v.unknown(), await service.ask({ kind: 'conversation', key: id }, asked));
}
