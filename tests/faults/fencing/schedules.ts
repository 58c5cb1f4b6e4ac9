/**
 * Commands whose answer is lost, and other callers' changes before the repeat. There is one of each
 * sort that is repeated for a day, for each kind of entity.
 */
import { defaultStageId } from '../../../shared/entity-ids.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import { ids } from './environment.ts';
import { CONTACT, FLOW } from './owners.ts';
import { BEGIN } from './still-clock.ts';

export const ORG = 'org_1';
export const said = { orgId: ORG, phone: '5511998877665', origin: 'api' } as const;
const stage = (position: number): string => defaultStageId(ids, ORG, position);

export interface Schedule {
  readonly what: string;
  readonly kind: ActorKind;
  readonly key: string;
  /** Makes the entity; absent where `late` does. */
  readonly first?: CommandOf;
  /** Its answer is lost. */
  readonly late: CommandOf;
  /** Other callers' changes after it; the last undoes it. */
  readonly others: readonly CommandOf[];
  /** One of many that come between. */
  readonly filler: (number: number) => CommandOf;
  /** The kind's one that is tried among hundreds of others. */
  readonly crowded?: boolean;
  /** Text in the answer of the repeat that proves the present state. */
  readonly shows?: string;
}

/** Fields of a new deal. */
export const deal = {
  ...{ contactId: CONTACT, title: 'Plano', valueCents: 0, stageId: null },
  ...({ ownerId: null, expectedCloseOn: null, conversationId: null, origin: 'api' } as const),
};
/** Fields of a new task. */
export const task = {
  ...({ title: 'Ligar', notes: null, contactId: null, contactNamedBy: 'contactId' } as const),
  ...({ dealId: null, assigneeId: null, dueOn: null, dueTime: null, origin: 'api' } as const),
};
const change = (id: string, fields: object): CommandOf => ({
  ...{ id, type: 'change', ...said },
  ...fields,
});
const upsert = (id: string, fields: object): CommandOf => ({
  ...{ id, type: 'upsert', source: 'api', ...said },
  ...fields,
});
export const send = (id: string, text = `diz ${id}`): CommandOf => ({
  ...{ id, type: 'send', channelId: 'chn_1', byConversation: false, channelScope: false },
  ...{ text, authorLabel: 'ERP', ...said },
});
const start = (id: string): CommandOf => ({
  ...{ id, type: 'start-flow', channelId: 'chn_1', flowId: FLOW.flowId, contactId: CONTACT },
  ...said,
});
const receipt = (id: string, status: 'sent' | 'delivered' | 'read'): CommandOf => ({
  ...{ id, type: 'receipt', messageId: 'said', networkId: null },
  receipt: { status, at: BEGIN, externalId: 'wamid.1' },
});
export const lasting = (command: CommandOf): CommandOf => ({ ...command, lasting: true });

const DEAL = {
  kind: 'deal',
  first: { id: 'made', type: 'create', orgId: ORG, ...deal },
  filler: (number: number) => change(`filler ${number}`, { valueCents: number }),
} as const;
const TASK = {
  kind: 'task',
  first: { id: 'made', type: 'create', orgId: ORG, ...task },
  filler: (number: number) => change(`filler ${number}`, { notes: `nota ${number}` }),
} as const;
const PERSON = {
  kind: 'contact',
  filler: (number: number) => upsert(`filler ${number}`, { fields: { cor: `${number}` } }),
} as const;
const CONVERSATION = {
  kind: 'conversation',
  filler: (number: number) => send(`filler ${number}`),
} as const;

export const SCHEDULES: readonly Schedule[] = [
  {
    ...DEAL,
    what: 'a move',
    crowded: true,
    key: 'dea_moved',
    late: change('late', { stageId: stage(1) }),
    others: [change('other', { stageId: stage(2) })],
    shows: stage(2),
  },
  {
    ...DEAL,
    what: 'a close',
    key: 'dea_won',
    late: change('late', { status: 'won' }),
    others: [change('other', { status: 'open' })],
    shows: '"status":"open"',
  },
  {
    ...DEAL,
    what: 'a change that changed nothing',
    key: 'dea_same',
    late: change('late', { status: 'open' }),
    others: [change('other', { status: 'won' })],
    shows: '"status":"won"',
  },
  {
    ...DEAL,
    what: 'a create',
    key: 'dea_made',
    late: { id: 'dea_made', type: 'create', orgId: ORG, ...deal },
    others: [change('other', { title: 'outra' })],
    shows: 'outra',
  },
  {
    ...TASK,
    what: 'a completion',
    crowded: true,
    key: 'tsk_done',
    late: change('late', { done: true }),
    others: [change('other', { done: false })],
    shows: '"done":false',
  },
  {
    ...TASK,
    what: 'a create',
    key: 'tsk_made',
    late: { id: 'tsk_made', type: 'create', orgId: ORG, ...task },
    others: [change('other', { title: 'outra' })],
    shows: 'outra',
  },
  {
    ...PERSON,
    what: 'an upsert that created it',
    crowded: true,
    key: 'ctc_created',
    late: upsert('late', { name: 'primeira' }),
    others: [upsert('other', { name: 'outra' })],
    shows: 'outra',
  },
  {
    ...PERSON,
    what: 'a word that opts out',
    key: 'ctc_word',
    first: upsert('made', { name: 'Bia' }),
    late: { id: 'late', type: 'opt', optIn: false, source: 'contact', ...said },
    others: [upsert('other', { optIn: true })],
  },
  {
    ...PERSON,
    what: 'a step that opts out',
    key: 'ctc_step',
    first: upsert('made', { tags: ['vip'] }),
    late: { id: 'late', type: 'flow-change', optIn: false, untags: ['vip'], ...said },
    others: [upsert('other', { optIn: true, tags: ['vip'] })],
  },
  {
    ...CONVERSATION,
    what: 'a send',
    key: 'cnv_send',
    late: send('sent late'),
    others: [send('sent other')],
  },
  {
    ...CONVERSATION,
    what: 'a start of a flow that has ended',
    key: 'cnv_start',
    first: send('said'),
    late: start('run_late'),
    others: [{ id: 'stop', type: 'stop-flow', at: BEGIN }],
  },
  {
    ...CONVERSATION,
    what: 'an opt-out that ended a flow',
    key: 'cnv_stop',
    first: start('run_first'),
    late: { id: 'late', type: 'stop-flow', at: BEGIN },
    others: [start('run_second')],
  },
  {
    ...CONVERSATION,
    what: 'a receipt',
    key: 'cnv_receipt',
    first: send('said'),
    late: receipt('late', 'sent'),
    others: [receipt('other', 'read')],
  },
];
