/** kill -9 while contacts are merged: the repeated webhook and the next owner finish it (D141). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshPhone } from '../../support/api.ts';
import { cloudPost, cloudText } from '../../support/network.ts';
import { runs } from '../../support/processes.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

/** How long after the webhooks the process is killed: somewhere between the steps. */
const KILLED_AFTER_MS = [3, 12, 25, 45];
const PEOPLE = 6;

const stack = useStack();
const { org } = useOrganizations(stack, { org: {} });

interface Person {
  readonly phone: string;
  readonly userId: string;
}

/** As the networks do: until it is taken. */
async function tell(value: Record<string, unknown>): Promise<void> {
  const { body, headers } = cloudPost(org.appSecret, org.phoneNumberId, value);
  await waitFor(
    async () => {
      const path = `${stack.baseUrl}/networks/cloud/${org.main}`;
      const sent = { method: 'POST', body, headers };
      const answer = await fetch(path, sent).catch(() => null);
      return answer?.status === 200;
    },
    { what: 'the webhook is taken' },
  );
}

function message(person: Partial<Person>, text: string, id: string): Record<string, unknown> {
  const { from: _, ...rest } = cloudText('', id, text);
  const { phone, userId } = person;
  const from = { ...(phone ? { from: phone } : {}), ...(userId ? { from_user_id: userId } : {}) };
  return { messages: [{ ...rest, ...from }] };
}

async function upsert(phone: string): Promise<void> {
  const body = { phone, tags: [`tag-${phone}`], fields: { plano: phone }, optIn: false };
  const answer = await stack.call('POST', '/api/v1/contacts', { key: org.key, body });
  assert.ok(answer.status < 300, answer.text);
}

async function isWhole({ phone, userId }: Person): Promise<boolean> {
  const contact = await stack.contact(org.key, phone);
  if (!contact?.optOutAt || !contact.tags.includes(`tag-${phone}`)) return false;
  const { data } = await stack.conversations(org.key, `?contactId=${contact.id}`);
  const [conversation] = data;
  if (!conversation || data.length > 1 || contact.fields.plano !== phone) return false;
  const history = await stack.history(org.key, conversation.id);
  // One that came late is listed by the network's whole second.
  const texts = history.map(({ text }) => text).sort();
  const wanted = [`both ${phone}`, `hidden ${userId}`, `shown ${phone}`];
  return JSON.stringify(texts) === JSON.stringify(wanted);
}

test('a merge that was cut off anywhere ends as one that was not', async () => {
  for (const [round, killedAfterMs] of KILLED_AFTER_MS.entries()) {
    const people = Array.from({ length: PEOPLE }, (_, n) => ({
      phone: freshPhone(),
      userId: `BR.9${round}${n}`,
    }));
    for (const { phone, userId } of people) {
      await tell(message({ userId }, `hidden ${userId}`, `wamid.h${userId}`));
      await tell(message({ phone }, `shown ${phone}`, `wamid.s${userId}`));
      await upsert(phone);
    }
    const pid = stack.pid('actors');
    const told = people.map((person) =>
      tell(message(person, `both ${person.phone}`, `wamid.b${person.userId}`)),
    );
    await new Promise((resume) => setTimeout(resume, killedAfterMs));
    process.kill(pid, 'SIGKILL');
    await waitFor(() => !runs(pid), { what: 'it is dead' });
    await Promise.all(told);
    await waitFor(async () => (await Promise.all(people.map(isWhole))).every(Boolean), {
      what: `the people of round ${round} are whole`,
    });
  }
  const { data } = await stack.conversations(org.key, '?limit=200');
  assert.equal(data.length, KILLED_AFTER_MS.length * PEOPLE);
});
