/** A contact in a flow: writes, and reads what the network was given for them. */
import { freshPhone } from '../../../api.ts';
import { named } from '../../../applied.ts';
import type { Organization } from '../../../organization.ts';
import type { Stack } from '../../../stack.ts';
import { waitFor } from '../../../wait-for.ts';

export interface ContactFixture {
  readonly phone: string;
  /** The answer of POST /flows/{id}/start. */
  start(flow: string, more?: Readonly<Record<string, unknown>>): ReturnType<Stack['request']>;
  send(text: string): Promise<string>;
  /** Texts that the contact has received so far, in order. */
  received(): Promise<readonly (string | null)[]>;
  /** Waits until exactly so many texts have come, and gives them back. */
  untilReceived(count: number): Promise<readonly (string | null)[]>;
  status(): Promise<string | undefined>;
  untilStatus(status: string): Promise<unknown>;
}

export function contactFixtureOf(
  stack: Stack,
  org: Organization,
  phone = freshPhone(),
): ContactFixture {
  const received = async () => (await stack.network.sent(phone)).map(({ text }) => text);
  const status = async () => {
    const { data } = await stack.conversations(org.key, '?limit=200');
    return data.find(({ contact }) => contact.phone === phone)?.status;
  };
  const startOf = (flow: string) => `/api/v1/flows/${named(org.applied.flows, flow)}/start`;
  return {
    phone,
    received,
    status,
    start: (flow, more = {}) =>
      stack.call('POST', startOf(flow), {
        key: org.key,
        body: { channelId: org.main, phone, ...more },
      }),
    send: (text) => stack.network.inbound({ channelId: org.main, from: phone, text }),
    untilReceived: (count) =>
      waitFor(
        async () => {
          const texts = await received();
          return texts.length >= count ? texts : null;
        },
        { what: `${count} texts for ${phone}` },
      ),
    untilStatus: (wanted) =>
      waitFor(async () => (await status()) === wanted, {
        what: `the conversation is ${wanted}`,
      }),
  };
}
