/**
 * The events of the contract and the extensions, each with what provokes it (D254). The command,
 * its list and its help follow from this table.
 */
import type { EventName } from '../../../../shared/events.ts';
import {
  DEAL_TITLE_MAX_CHARS,
  MESSAGE_TEXT_MAX_CHARS,
  TASK_TITLE_MAX_CHARS,
} from '../../../../shared/limits.ts';
import { createContact, updateContact } from './contacts.ts';
import { assignConversation, reopenConversation, resolveConversation } from './conversations.ts';
import { createDeal, loseDeal, moveDeal, reopenDeal, winDeal } from './deals.ts';
import { failMessage, optOut, receiveMessage, sendUntil, stopMarketing } from './messages.ts';
import type { Made, Provocation } from './provocation.ts';
import { completeTask, createTask } from './tasks.ts';

interface Trigger {
  /** The cause of the event. */
  readonly does: string;
  /** The meaning of `--text`; null where it has none. */
  readonly text: Text | null;
  readonly provoke: (provocation: Provocation) => Promise<Made>;
}

export interface Text {
  /** Unless another one is given. */
  readonly usual: string;
  readonly maxChars: number;
}

const INBOUND: Text = { usual: 'Oi, tudo bem?', maxChars: MESSAGE_TEXT_MAX_CHARS };
const OUTBOUND: Text = { usual: 'Seu pedido saiu.', maxChars: MESSAGE_TEXT_MAX_CHARS };
const DEAL: Text = { usual: 'Plano ouro', maxChars: DEAL_TITLE_MAX_CHARS };
const TASK: Text = { usual: 'Ligar para o cliente', maxChars: TASK_TITLE_MAX_CHARS };

export const TRIGGERS: Readonly<Record<EventName, Trigger>> = {
  'message.received': { does: 'the contact writes', text: INBOUND, provoke: receiveMessage },
  'message.sent': {
    does: 'a message is sent, and the network takes it',
    text: OUTBOUND,
    provoke: sendUntil('sent'),
  },
  'message.delivered': {
    does: 'a message is sent, and reaches the contact',
    text: OUTBOUND,
    provoke: sendUntil('delivered'),
  },
  'message.read': {
    does: 'a message is sent, and the contact reads it',
    text: OUTBOUND,
    provoke: sendUntil('read'),
  },
  'message.failed': {
    does: 'a message is sent, and the network reports that it cannot be delivered',
    text: OUTBOUND,
    provoke: failMessage,
  },
  'contact.opt_out': {
    does: 'the contact writes SAIR; an earlier opt-out ends first',
    text: null,
    provoke: optOut,
  },
  'contact.marketing_opt_out': {
    does: 'the contact writes Parar promoções; an earlier stop ends first',
    text: null,
    provoke: stopMarketing,
  },
  'contact.created': {
    does: 'a contact is created, of another number that no person has if it exists',
    text: null,
    provoke: createContact,
  },
  'contact.updated': { does: 'a field of the contact changes', text: null, provoke: updateContact },
  'conversation.assigned': {
    does: 'the contact writes, and the conversation goes to a member, or to nobody',
    text: INBOUND,
    provoke: assignConversation,
  },
  'conversation.resolved': {
    does: 'the contact writes, and the conversation is resolved',
    text: INBOUND,
    provoke: resolveConversation,
  },
  'conversation.reopened': {
    does: 'the contact writes, and writes again once it was resolved',
    text: INBOUND,
    provoke: reopenConversation,
  },
  'deal.created': { does: 'a deal is created', text: DEAL, provoke: createDeal },
  'deal.stage_changed': {
    does: 'a deal is created, and moved to another stage',
    text: DEAL,
    provoke: moveDeal,
  },
  'deal.won': { does: 'a deal is created, and won', text: DEAL, provoke: winDeal },
  'deal.lost': { does: 'a deal is created, and lost', text: DEAL, provoke: loseDeal },
  'deal.reopened': {
    does: 'a deal is created, won, and opened again',
    text: DEAL,
    provoke: reopenDeal,
  },
  'task.created': { does: 'a task is created', text: TASK, provoke: createTask },
  'task.completed': { does: 'a task is created, and done', text: TASK, provoke: completeTask },
};

/** In the order of the table. */
export const TRIGGER_NAMES: readonly string[] = Object.keys(TRIGGERS);

export function isTriggered(name: string): name is EventName {
  return Object.hasOwn(TRIGGERS, name);
}
