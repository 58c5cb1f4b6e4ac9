/** A contact in a flow: writes, and reads what the network was given for them. */
import { freshPhone } from '../support/api.ts';
import { named } from '../support/applied.ts';
import type { Organization } from '../support/organization.ts';
import type { Stack } from '../support/stack.ts';
import { waitFor } from '../support/wait-for.ts';

export interface Talk {
  readonly phone: string;
  /** The answer of POST /flows/{id}/start. */
  start(flow: string, more?: Readonly<Record<string, unknown>>): ReturnType<Stack['request']>;
  says(text: string): Promise<string>;
  /** What the contact has been sent so far, in order. */
  heard(): Promise<readonly (string | null)[]>;
  /** Waits until exactly so many texts have come, and gives them back. */
  hears(count: number, patienceMs?: number): Promise<readonly (string | null)[]>;
  status(): Promise<string | undefined>;
  isIn(status: string, patienceMs?: number): Promise<unknown>;
}

export function talkOf(stack: Stack, org: Organization, phone = freshPhone()): Talk {
  const heard = async () => (await stack.network.sent(phone)).map(({ text }) => text);
  const status = async () => {
    const { data } = await stack.conversations(org.key, '?limit=200');
    return data.find(({ contact }) => contact.phone === phone)?.status;
  };
  return {
    phone,
    heard,
    status,
    start: (flow, more = {}) =>
      stack.request('POST', `/api/v1/flows/${named(org.applied.flows, flow)}/start`, {
        key: org.key,
        body: { channelId: org.main, phone, ...more },
      }),
    says: (text) => stack.network.inbound({ channelId: org.main, from: phone, text }),
    hears: (count, patienceMs = 15_000) =>
      waitFor(
        async () => {
          const texts = await heard();
          return texts.length >= count ? texts : null;
        },
        { what: `${count} texts for ${phone}`, patienceMs },
      ),
    isIn: (wanted, patienceMs = 15_000) =>
      waitFor(async () => (await status()) === wanted, {
        what: `the conversation is ${wanted}`,
        patienceMs,
      }),
  };
}
