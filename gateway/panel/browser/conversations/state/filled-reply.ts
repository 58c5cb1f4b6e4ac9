/** A quick reply with its variables filled in, by the templates of flows. */
import type { Contact } from '../../../../../shared/api/contact.ts';
import { Budget } from '../../../../../shared/liquid/budget.ts';
import { type Rendered, renderTemplate } from '../../../../../shared/liquid/template.ts';
import { now } from '../../clock.ts';
import type { Organization } from '../../session.ts';
import type { PanelConversation } from './api.ts';

interface Whose {
  readonly conversation: PanelConversation;
  readonly contact: Contact;
  readonly organization: Organization | null;
}

/** The variables of a flow's step, without a run's: nobody has answered anything. */
export function filledFor(text: string, { conversation, contact, organization }: Whose): Rendered {
  const { id, phone, name, email, fields, tags, optIn, firstAd = null } = contact;
  const { channel, status, assignedTo, lastMessagePreview, createdAt } = conversation;
  return renderTemplate(text, {
    contact: { id, phone, name, email, fields, tags, optIn, firstAd },
    conversation: {
      ...{ id: conversation.id, channelId: channel.id, status, assignedTo, createdAt },
      lastMessage: lastMessagePreview,
    },
    org: organization ?? { name: '', timeZone: 'UTC' },
    answers: {},
    chosen: {},
    now: new Date(now()).toISOString(),
    budget: new Budget(),
  });
}
