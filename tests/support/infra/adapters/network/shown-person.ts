/** People as the Cloud API shows them: by a number, a business-scoped id, or both. */
import { cloudText } from '../../../network.ts';

let numbers = 0;

/** Ids and names of a person that the network tells beside a message. */
export interface Shown {
  readonly phone?: string;
  readonly userId?: string;
}

/** A text that the person wrote just now: the value of a webhook. */
export function writtenBy({ phone, userId }: Shown, text: string): Record<string, unknown> {
  const { from: _, ...message } = cloudText('', freshWamid(), text);
  const contact = { profile: { name: 'Rita' }, ...(phone ? { wa_id: phone } : {}) };
  return {
    contacts: [{ ...contact, ...(userId ? { user_id: userId } : {}) }],
    messages: [
      {
        ...message,
        ...(phone ? { from: phone } : {}),
        ...(userId ? { from_user_id: userId } : {}),
      },
    ],
  };
}

/** The network's sentence of a change of number. */
export function movedTo(from: string, to: string): Record<string, unknown> {
  const { text: _, ...message } = cloudText(from, freshWamid(), '');
  const system = { type: 'user_changed_number', body: 'changed', wa_id: to };
  return { messages: [{ ...message, type: 'system', system }] };
}

function freshWamid(): string {
  numbers += 1;
  return `wamid.alias${numbers}`;
}

export function freshUser(): string {
  numbers += 1;
  return `BR.77${numbers}`;
}
